// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/placement.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace starling::topology {
namespace {

constexpr Level kBoundaries[] = {Level::kPackage, Level::kNuma, Level::kL3};

/// How many boundaries lie between two processes; another node is behind all of them.
int boundaries_between(const Locality& a, const Locality& b) {
  if (a.node != b.node) return static_cast<int>(std::size(kBoundaries)) + 1;
  return static_cast<int>(std::ranges::count_if(kBoundaries, [&](Level level) { return a.at(level) != b.at(level); }));
}

bool same_domain(const Locality& a, const Locality& b) { return boundaries_between(a, b) == 0; }

/// Processes that share all boundaries side by side, near domains next to each other.
std::vector<std::int32_t> by_domain(std::span<const Locality> processes) {
  std::vector<std::int32_t> order(processes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t left, std::int32_t right) {
    const Locality& a = processes[static_cast<std::size_t>(left)];
    const Locality& b = processes[static_cast<std::size_t>(right)];
    if (a.node != b.node) return a.node < b.node;
    return std::ranges::lexicographical_compare(
        kBoundaries, kBoundaries, {}, [&](Level level) { return a.at(level); },
        [&](Level level) { return b.at(level); });
  });
  return order;
}

struct Neighbor {
  std::size_t place;
  std::int32_t weight;
};

std::vector<std::vector<Neighbor>> adjacency(std::size_t places, std::span<const Edge> edges) {
  std::vector<std::vector<Neighbor>> neighbors(places);
  for (const Edge& edge : edges) {
    if (edge.a == edge.b) continue;
    neighbors[static_cast<std::size_t>(edge.a)].push_back({static_cast<std::size_t>(edge.b), edge.weight});
    neighbors[static_cast<std::size_t>(edge.b)].push_back({static_cast<std::size_t>(edge.a), edge.weight});
  }
  return neighbors;
}

/// Gives places away one by one, each time the one that is tied most to the domain at hand, then to all given so far.
class Growth {
 public:
  Growth(std::size_t places, std::span<const Edge> edges)
      : neighbors_(adjacency(places, edges)), given_(places), to_domain_(places), to_all_(places) {}

  void begin_domain() { std::ranges::fill(to_domain_, 0); }

  std::int32_t give() {
    std::size_t best = given_.size();
    for (std::size_t place = 0; place < given_.size(); ++place) {
      if (given_[place]) continue;
      if (best == given_.size() || tie(place) > tie(best)) best = place;
    }
    given_[best] = true;
    for (const Neighbor& neighbor : neighbors_[best]) {
      to_domain_[neighbor.place] += neighbor.weight;
      to_all_[neighbor.place] += neighbor.weight;
    }
    return static_cast<std::int32_t>(best);
  }

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> tie(std::size_t place) const {
    return {to_domain_[place], to_all_[place]};
  }

  std::vector<std::vector<Neighbor>> neighbors_;
  std::vector<bool> given_;
  std::vector<std::int64_t> to_domain_;
  std::vector<std::int64_t> to_all_;
};

}  // namespace

std::int64_t cost(std::span<const Locality> processes, std::span<const std::int32_t> places,
                  std::span<const Edge> edges) {
  std::vector<std::size_t> process_at(places.size());
  for (std::size_t process = 0; process < places.size(); ++process) {
    process_at[static_cast<std::size_t>(places[process])] = process;
  }
  std::int64_t sum = 0;
  for (const Edge& edge : edges) {
    const Locality& a = processes[process_at[static_cast<std::size_t>(edge.a)]];
    const Locality& b = processes[process_at[static_cast<std::size_t>(edge.b)]];
    sum += std::int64_t{boundaries_between(a, b)} * edge.weight;
  }
  return sum;
}

std::vector<std::int32_t> place_processes(std::span<const Locality> processes, std::span<const Edge> edges) {
  std::vector<std::int32_t> identity(processes.size());
  std::iota(identity.begin(), identity.end(), 0);
  const std::vector<std::int32_t> order = by_domain(processes);
  std::vector<std::int32_t> places(processes.size());
  Growth growth(processes.size(), edges);
  for (std::size_t begin = 0; begin < order.size();) {
    const Locality& domain = processes[static_cast<std::size_t>(order[begin])];
    std::size_t end = begin;
    while (end < order.size() && same_domain(domain, processes[static_cast<std::size_t>(order[end])])) ++end;
    growth.begin_domain();
    std::vector<std::int32_t> given;
    for (std::size_t i = begin; i < end; ++i) given.push_back(growth.give());
    std::ranges::sort(given);
    for (std::size_t i = begin; i < end; ++i) places[static_cast<std::size_t>(order[i])] = given[i - begin];
    begin = end;
  }
  return cost(processes, places, edges) < cost(processes, identity, edges) ? places : identity;
}

}  // namespace starling::topology
