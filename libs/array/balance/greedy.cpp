// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// greedy: the largest element first, each to the process with the least so far; of equally good ones, where it is.
// Limits: moves nearly everything. Cost: n log n + n log p.
// Source: R. Graham, Bounds on multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 17, 1969.
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

/// Processes by their load so far.
class Shares {
 public:
  Shares(std::vector<double> loads, const std::vector<int>& takers) : loads_(std::move(loads)) {
    for (const int each : takers) least_.emplace(load_of(each), each);
  }

  /// The process that gets an element: the least loaded, or, if that is as good, `home`, where it is.
  int take(bool may_stay, int home) {
    const auto [sum, least] = least_.top();
    // Equal loads are the rule in a balanced program: staying costs nothing.
    if (least == home || !may_stay || load_of(home) > sum) {
      least_.pop();
      return least;
    }
    std::vector<Candidate> aside;
    while (least_.top().second != home) {
      aside.push_back(least_.top());
      least_.pop();
    }
    least_.pop();
    for (const Candidate& each : aside) least_.push(each);
    return home;
  }
  /// The process that was taken comes back with more.
  void give(int process, double load) {
    loads_[static_cast<std::size_t>(process)] += load;
    least_.emplace(load_of(process), process);
  }

 private:
  using Candidate = std::pair<double, int>;
  double load_of(int process) const { return loads_[static_cast<std::size_t>(process)]; }

  std::vector<double> loads_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> least_;
};

}  // namespace

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
  Shares shares(std::move(loads), to);
  for (const auto& [minus_load, element] : order) {
    const int home = problem.elements[element].process;
    const int process = shares.take(takes(problem, home), home);
    shares.give(process, -minus_load);
    if (process != home) moves.push_back({element, process});
  }
  return moves;
}

}  // namespace starling::array::balancing
