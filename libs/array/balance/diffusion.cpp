// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// diffusion: load flows between neighbours in a ring with chords (the processes at distances 1, 2, 4, ...), a part of
// the difference in each round, until it is even; then elements are chosen that carry the flow. Needs no view of all
// elements at once, so it scales; here it is computed in one place, from the same loads as the others. Limits: load
// that is far away takes several steps to arrive. Cost: rounds * p log p + n log n. Source: G. Cybenko, Dynamic Load
// Balancing for Distributed Memory Multiprocessors, J. Parallel Distrib. Comput. 7, 1989.
#include <algorithm>
#include <cmath>
#include <map>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

using Flow = std::map<std::pair<std::size_t, std::size_t>, double>;  // between places in the list of takers

Flow even_out(std::vector<double> loads) {
  constexpr int kRounds = 60;
  const std::size_t count = loads.size();
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t distance = 1; distance < count; distance *= 2) {
      const std::size_t to = (from + distance) % count;
      if (2 * distance <= count && (2 * distance != count || from < to)) edges.emplace_back(from, to);
    }
  }
  if (count == 2) edges = {{0, 1}};
  double degree = 1;
  for (std::size_t distance = 1; 2 * distance <= count; distance *= 2) degree += 2;
  Flow flow;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> next = loads;
    for (const auto& [from, to] : edges) {
      const double amount = (loads[from] - loads[to]) / degree;
      flow[{from, to}] += amount;
      next[from] -= amount;
      next[to] += amount;
    }
    loads = next;
  }
  return flow;
}

}  // namespace

Moves diffusion(const Problem& problem) {
  // What sits on processes that take none goes first.
  Moves moves = none(problem);
  std::vector<int> at;
  for (const Problem::Element& each : problem.elements) at.push_back(each.process);
  for (const Move& each : moves) at[each.element] = each.to;
  const std::vector<int> to = takers(problem);
  const std::vector<double> all = process_loads(problem, moves);
  const double average = average_load(problem);
  if (to.size() < 2 || *std::max_element(all.begin(), all.end()) <= average * problem.tolerated) return moves;
  std::vector<double> loads;
  for (const int each : to) loads.push_back(all[static_cast<std::size_t>(each)]);
  std::vector<std::multimap<double, std::uint32_t>> movable(static_cast<std::size_t>(problem.processes));
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    const Problem::Element& each = problem.elements[i];
    if (!each.is_fixed && each.load > 0) movable[static_cast<std::size_t>(at[i])].emplace(each.load, i);
  }
  // What flows through a process arrives there before it goes on, so it takes some rounds over all edges.
  Flow flow = even_out(loads);
  for (int round = 0; round < problem.processes; ++round) {
    bool some = false;
    for (auto& [edge, amount] : flow) {
      const int from = to[amount > 0 ? edge.first : edge.second];
      const int into = to[amount > 0 ? edge.second : edge.first];
      auto& source = movable[static_cast<std::size_t>(from)];
      // More than half of an element's load must flow, else it would only change places with the gap.
      for (auto each = source.lower_bound(2 * std::abs(amount)); each != source.begin() && amount != 0;
           each = source.lower_bound(2 * std::abs(amount))) {
        --each;
        const auto [load, element] = *each;
        source.erase(each);
        movable[static_cast<std::size_t>(into)].emplace(load, element);
        at[element] = into;
        amount = std::abs(amount) <= load ? 0 : amount - std::copysign(load, amount);
        some = true;
      }
    }
    if (!some) break;
  }
  moves.clear();
  for (std::uint32_t i = 0; i < at.size(); ++i) {
    if (at[i] != problem.elements[i].process) moves.push_back({i, at[i]});
  }
  // Large elements may end up worse than they were.
  const std::vector<double> after = process_loads(problem, moves);
  const bool is_better = *std::max_element(after.begin(), after.end()) < *std::max_element(all.begin(), all.end());
  return is_better ? moves : none(problem);
}

}  // namespace starling::array::balancing
