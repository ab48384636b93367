// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// greedy: the largest element first, each to the process with the least so far; of equally good ones, where it is.
// Limits: moves nearly everything. Cost: n log n + n log p.
// Source: R. Graham, Bounds on multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 17, 1969.
#include <algorithm>
#include <numeric>
#include <queue>

#include "strategy.hpp"

namespace starling::array::balancing {

Moves greedy(const Problem& problem) {
  Moves moves;
  const std::vector<int> to = takers(problem);
  if (to.empty()) return moves;
  std::vector<double> loads(static_cast<std::size_t>(problem.processes));
  if (!problem.background.empty()) loads = problem.background;
  std::vector<std::pair<double, std::uint32_t>> order;
  order.reserve(problem.elements.size());
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    const Problem::Element& each = problem.elements[i];
    if (each.is_fixed) {
      loads[static_cast<std::size_t>(each.process)] += each.load;
    } else {
      order.emplace_back(-each.load, i);
    }
  }
  std::sort(order.begin(), order.end());
  using Candidate = std::pair<double, int>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> least;
  for (const int each : to) least.emplace(loads[static_cast<std::size_t>(each)], each);
  for (const auto& [load, element] : order) {
    const int home = problem.elements[element].process;
    auto [sum, process] = least.top();
    // Equal loads are the rule in a balanced program: staying costs nothing.
    if (process != home && takes(problem, home) && loads[static_cast<std::size_t>(home)] <= sum) {
      std::vector<Candidate> aside;
      while (least.top().second != home) {
        aside.push_back(least.top());
        least.pop();
      }
      process = home;
      least.pop();
      for (const Candidate& each : aside) least.push(each);
    } else {
      least.pop();
    }
    loads[static_cast<std::size_t>(process)] -= load;
    least.emplace(loads[static_cast<std::size_t>(process)], process);
    if (process != home) moves.push_back({element, process});
  }
  return moves;
}

}  // namespace starling::array::balancing
