// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The overlay graph alone: how far its members are apart, and how many of them random deaths cut off from the others,
// in graphs that no machine here could run. Random numbers are seeded, so each run prints the same.
//   overlay [MOST MEMBERS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "resilience/binomial_graph.hpp"

namespace {

using starling::resilience::binomial_graph_distances;
using starling::resilience::binomial_neighbors;

constexpr std::int32_t kSizes[] = {16, 64, 256, 1024, 8192, 32'768, 100'000};

/// The fully connected overlay beside it: each message goes straight, and a member has a link with each other.
void print_distances(std::int32_t most) {
  std::printf("members  degree  diameter  mean distance   links in all: graph    fully connected\n");
  for (const std::int32_t members : kSizes) {
    if (members > most) break;
    const auto degree = static_cast<std::int64_t>(binomial_neighbors(0, members).size());
    const auto distances = binomial_graph_distances(members);
    std::printf("%7d  %6lld  %8d  %13.2f  %20lld  %17lld\n", members, static_cast<long long>(degree), distances.longest,
                distances.mean, static_cast<long long>(degree * members / 2),
                static_cast<long long>(std::int64_t{members} * (members - 1) / 2));
  }
  std::printf("\n");
}

/// The members that live and are not in the largest part of the graph that hangs together.
std::int32_t cut_off(std::int32_t members, const std::vector<bool>& alive) {
  std::vector<bool> seen(alive.size());
  std::vector<std::int32_t> open;
  std::int32_t living = 0;
  std::int32_t largest = 0;
  for (std::int32_t first = 0; first < members; ++first) {
    if (!alive[static_cast<std::size_t>(first)] || seen[static_cast<std::size_t>(first)]) continue;
    std::int32_t part = 0;
    seen[static_cast<std::size_t>(first)] = true;
    open.push_back(first);
    while (!open.empty()) {
      const std::int32_t member = open.back();
      open.pop_back();
      ++part;
      for (const std::int32_t linked : binomial_neighbors(member, members)) {
        const auto at = static_cast<std::size_t>(linked);
        if (!alive[at] || seen[at]) continue;
        seen[at] = true;
        open.push_back(linked);
      }
    }
    living += part;
    largest = std::max(largest, part);
  }
  return living - largest;
}

struct Damage {
  int cut = 0;             ///< trials in which a survivor is cut off
  double share = 0;        ///< of the survivors that are, over all trials
  std::int32_t worst = 0;  ///< survivors cut off in the worst trial
};

Damage damage(std::int32_t members, std::int32_t deaths, int trials, std::mt19937& random) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(members));
  std::iota(order.begin(), order.end(), 0);
  Damage result;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<bool> alive(order.size(), true);
    for (std::int32_t i = 0; i < deaths; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::swap(order[at], order[std::uniform_int_distribution<std::size_t>(at, order.size() - 1)(random)]);
      alive[static_cast<std::size_t>(order[at])] = false;
    }
    const std::int32_t off = cut_off(members, alive);
    result.cut += off > 0 ? 1 : 0;
    result.share += static_cast<double>(off) / (members - deaths) / trials;
    result.worst = std::max(result.worst, off);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t most = argc > 1 ? std::atoi(argv[1]) : 100'000;
  constexpr std::int64_t kVisits = 4'000'000;  // for each row; the trials follow from it
  std::mt19937 random(1);
  print_distances(most);
  std::printf("members  degree   deaths  trials  with a cut  survivors cut off: mean share    most\n");
  for (const std::int32_t members : kSizes) {
    if (members > most) break;
    const auto degree = static_cast<std::int32_t>(binomial_neighbors(0, members).size());
    const int trials = static_cast<int>(std::clamp<std::int64_t>(kVisits / members, 40, 4000));
    for (const double share : {0.0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9}) {
      const std::int32_t deaths = share == 0.0 ? degree - 1 : static_cast<std::int32_t>(share * members);
      if (deaths < degree - 1) continue;
      const Damage found = damage(members, deaths, trials, random);
      std::printf("%7d  %6d  %7d  %6d  %10.4f  %29.2e  %6d%s\n", members, degree, deaths, trials,
                  found.cut / static_cast<double>(trials), found.share, found.worst,
                  share == 0.0 ? "  (degree - 1)" : "");
    }
  }
  return 0;
}
