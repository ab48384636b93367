// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// graph: even loads, and as little as possible between processes. It has two plans: one stays near to what is there, as
// refine does; one begins from a partition of the whole graph (partition.cpp). In both, elements then move to the
// process that they talk to most where that leaves the load even, until a pass gains nothing. The second is taken if
// what it saves between processes is more than a twentieth, and more than its moves cost. Without links it is refine.
// Limits: links are what the last period had. Cost: a few times elements + links. Source: C. Fiduccia, R. Mattheyses, A
// Linear-Time Heuristic for Improving Network Partitions, DAC 1982 (single moves).
#include <algorithm>
#include <map>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

/// Moves that make the links between processes cheaper and the load no less even.
class Cut {
 public:
  explicit Cut(const Problem& problem) : problem_(problem), partners_(problem.elements.size()) {
    for (const Problem::Link& each : problem.links) {
      partners_[each.from].emplace_back(each.to, cost_of(problem, each));
      partners_[each.to].emplace_back(each.from, cost_of(problem, each));
    }
  }

  /// From a plan to a better one.
  Moves improve(const Moves& plan) {
    at_ = places(problem_, plan);
    loads_ = process_loads(problem_, plan);
    const double most = *std::max_element(loads_.begin(), loads_.end());
    limit_ = std::max(most, average_load(problem_) * std::max(problem_.tolerated, 1.0));
    constexpr int kPasses = 8;
    for (int i = 0; i < kPasses && pass(); ++i) {
    }
    return moves_to(problem_, at_);
  }

 private:
  bool pass() {
    bool better = false;
    std::map<int, double> costs;
    for (std::uint32_t i = 0; i < at_.size(); ++i) {
      const Problem::Element& element = problem_.elements[i];
      if (element.is_fixed || partners_[i].empty()) continue;
      costs.clear();
      for (const auto& [other, cost] : partners_[i]) costs[at_[other]] += cost;
      costs[element.process] += problem_.cost_of_move;  // where it is now, so what a move there saves
      int best = at_[i];
      double most = costs[at_[i]];
      for (const auto& [process, cost] : costs) {
        const double load = loads_[static_cast<std::size_t>(process)] + element.load;
        if (cost > most && load <= limit_ && takes(problem_, process)) {
          most = cost;
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

/// What a partition leaves uneven, as it knows nothing of fixed elements, and loads are not fine, refine evens out.
Moves evened(const Problem& problem, const std::vector<int>& at) {
  Problem there = problem;
  there.links.clear();
  for (std::size_t i = 0; i < at.size(); ++i) there.elements[i].process = at[i];
  return moves_to(problem, places(there, refine(there)));
}

double imbalance(const Problem& problem, const Moves& moves) {
  const std::vector<double> loads = process_loads(problem, moves);
  const double average = average_load(problem);
  return average > 0 ? std::max(*std::max_element(loads.begin(), loads.end()) / average, problem.tolerated) : 1;
}

}  // namespace

Moves graph(const Problem& problem) {
  Moves even = refine(problem);
  if (problem.links.empty() || takers(problem).empty()) return even;
  Cut cut(problem);
  Moves near = cut.improve(even);
  const std::vector<int> at = partition(problem);
  if (at.empty()) return near;
  Moves anew = cut.improve(evened(problem, at));
  constexpr double kAsEven = 1.01;
  if (imbalance(problem, anew) > kAsEven * imbalance(problem, near)) return near;
  constexpr double kBetter = 0.95;
  const double cost_near = cost_of_links(problem, near);
  const double more_moves = static_cast<double>(anew.size()) - static_cast<double>(near.size());
  const double cost_anew = cost_of_links(problem, anew);
  return cost_anew < kBetter * cost_near && cost_anew + more_moves * problem.cost_of_move < cost_near ? anew : near;
}

}  // namespace starling::array::balancing
