// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arrival patterns for the tests: random ones of many kinds, each from a seed.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

struct Instance {
  std::vector<Ticks> arrivals;
  int root = 0;
  int segments = 1;
  Ticks round_length = 1;
  RootRole root_role = RootRole::kTakesPart;

  [[nodiscard]] Pattern pattern() const { return {arrivals, root, segments, round_length, root_role}; }

  [[nodiscard]] std::string text() const {
    std::string line = "root " + std::to_string(root) + ", segments " + std::to_string(segments) + ", round " +
                       std::to_string(round_length) + ", arrivals";
    for (const Ticks arrival : arrivals) line.append(" ").append(std::to_string(arrival));
    return line;
  }
};

/// Spread, clustered, equal, almost equal or with one far away; rounds from a tick to longer than everything.
inline Instance random_instance(std::mt19937_64& random, int max_processes, int max_segments) {
  const auto below = [&random](Ticks limit) {
    return static_cast<Ticks>(random() % static_cast<std::uint64_t>(limit));
  };
  Instance instance;
  const int processes = 1 + static_cast<int>(below(max_processes));
  const Ticks span = Ticks{1} << below(11);
  const Ticks cluster = 1 + below(4);
  for (int process = 0; process < processes; ++process) {
    const Ticks offset = below(4) == 0 ? below(3) : 0;
    instance.arrivals.push_back(below(span) / cluster * cluster + offset);
  }
  if (below(4) == 0) instance.arrivals[static_cast<std::size_t>(below(processes))] += 100 * span;
  instance.root = static_cast<int>(below(processes));
  instance.segments = 1 + static_cast<int>(below(max_segments));
  instance.round_length = 1 + below(Ticks{1} << below(12));
  instance.root_role = below(4) == 0 ? RootRole::kOnlyTakes : RootRole::kTakesPart;
  return instance;
}

/// The paper's section 5.7: arrivals spread evenly over [0, P + 0.1], a random root, a round of 0.001 to 1; millionths.
inline Instance uniform_instance(std::mt19937_64& random, int processes, int segments) {
  Instance instance;
  std::uniform_real_distribution<double> arrival(0, processes + 0.1);
  std::uniform_real_distribution<double> round(0.001, 1);
  for (int process = 0; process < processes; ++process) {
    instance.arrivals.push_back(static_cast<Ticks>(arrival(random) * 1e6));
  }
  instance.root = static_cast<int>(random() % static_cast<std::uint64_t>(processes));
  instance.segments = segments;
  instance.round_length = static_cast<Ticks>(round(random) * 1e6);
  return instance;
}

/// Likewise: all at 0 but the last, which comes at N.
inline Instance skewed_instance(std::mt19937_64& random, int processes, int segments) {
  Instance instance = uniform_instance(random, processes, segments);
  std::fill(instance.arrivals.begin(), instance.arrivals.end(), 0);
  instance.arrivals.back() = Ticks{segments} * 1'000'000;
  instance.root = 0;
  return instance;
}

/// The paper's lemma 1: one process comes in each round.
inline Instance lemma_instance(std::mt19937_64& /*random*/, int processes, int segments) {
  Instance instance;
  for (int process = 0; process < processes; ++process) instance.arrivals.push_back(process);
  instance.segments = segments;
  return instance;
}

}  // namespace starling::arrival
