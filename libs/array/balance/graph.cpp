// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// graph: balances as refine does, then moves elements to the process that they talk to most where the load allows it,
// until a pass gains nothing. Limits: finds no better cut behind a worse one. Cost: passes * links. Source: C.
// Fiduccia, R. Mattheyses, A Linear-Time Heuristic for Improving Network Partitions, DAC 1982 (single moves).
#include <algorithm>
#include <map>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

class Cut {
 public:
  explicit Cut(const Problem& problem) : problem_(problem), partners_(problem.elements.size()) {
    const Moves first = refine(problem);
    for (const Problem::Element& each : problem.elements) at_.push_back(each.process);
    for (const Move& each : first) at_[each.element] = each.to;
    loads_ = process_loads(problem, first);
    for (const Problem::Link& each : problem.links) {
      partners_[each.from].emplace_back(each.to, each.bytes);
      partners_[each.to].emplace_back(each.from, each.bytes);
    }
    const double most = *std::max_element(loads_.begin(), loads_.end());
    double largest = 0;
    for (const Problem::Element& each : problem.elements) largest = std::max(largest, each.load);
    // One element above the average: with less nothing could move between processes that are even.
    const double slack = std::min(largest, 0.1 * average_load(problem));
    limit_ = std::max(most, average_load(problem) * std::max(problem.tolerated, 1.0) + slack);
  }

  Moves run() {
    constexpr int kPasses = 8;
    for (int pass = 0; pass < kPasses && improve(); ++pass) {
    }
    Moves moves;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      if (at_[i] != problem_.elements[i].process) moves.push_back({i, at_[i]});
    }
    return moves;
  }

 private:
  bool improve() {
    bool better = false;
    std::map<int, double> bytes;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Problem::Element& element = problem_.elements[i];
      if (element.is_fixed || partners_[i].empty()) continue;
      bytes.clear();
      for (const auto& [other, count] : partners_[i]) bytes[at_[other]] += count;
      int best = at_[i];
      double most = bytes[at_[i]];
      for (const auto& [process, count] : bytes) {
        const double load = loads_[static_cast<std::size_t>(process)] + element.load;
        if (count > most && load <= limit_ && takes(problem_, process)) {
          most = count;
          best = process;
        }
      }
      if (best == at_[i]) continue;
      loads_[static_cast<std::size_t>(at_[i])] -= element.load;
      loads_[static_cast<std::size_t>(best)] += element.load;
      at_[i] = best;
      better = true;
    }
    return better;
  }

  const Problem& problem_;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> partners_;
  std::vector<int> at_;
  std::vector<double> loads_;
  double limit_ = 0;
};

}  // namespace

Moves graph(const Problem& problem) { return problem.elements.empty() ? Moves() : Cut(problem).run(); }

}  // namespace starling::array::balancing
