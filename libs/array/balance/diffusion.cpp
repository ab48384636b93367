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

/// Elements of each process that may move, by their load.
using Movable = std::vector<std::multimap<double, std::uint32_t>>;

Movable movable_elements(const Problem& problem, const std::vector<int>& at) {
  Movable movable(static_cast<std::size_t>(problem.processes));
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    const Problem::Element& each = problem.elements[i];
    if (!each.is_fixed && each.load > 0) movable[static_cast<std::size_t>(at[i])].emplace(each.load, i);
  }
  return movable;
}

/// Moves elements of one process to another as long as some of the flow between them is left; whether any moved.
bool carry(int from, int into, double& amount, Movable& movable, std::vector<int>& at) {
  auto& source = movable[static_cast<std::size_t>(from)];
  bool some = false;
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
  return some;
}

double highest(const std::vector<double>& loads) { return *std::max_element(loads.begin(), loads.end()); }

}  // namespace

Moves diffusion(const Problem& problem) {
  // What sits on processes that take none goes first.
  const Moves first = none(problem);
  std::vector<int> at = places(problem, first);
  const std::vector<int> to = takers(problem);
  const std::vector<double> all = process_loads(problem, first);
  if (to.size() < 2 || highest(all) <= average_load(problem) * problem.tolerated) return first;
  std::vector<double> loads;
  for (const int each : to) loads.push_back(all[static_cast<std::size_t>(each)]);
  Movable movable = movable_elements(problem, at);
  // What flows through a process arrives there before it goes on, so it takes some rounds over all edges.
  Flow flow = even_out(loads);
  bool some = true;
  for (int round = 0; round < problem.processes && some; ++round) {
    some = false;
    for (auto& [edge, amount] : flow) {
      const int from = to[amount > 0 ? edge.first : edge.second];
      const int into = to[amount > 0 ? edge.second : edge.first];
      some |= carry(from, into, amount, movable, at);
    }
  }
  // Large elements may end up worse than they were.
  Moves moves = moves_to(problem, at);
  return highest(process_loads(problem, moves)) < highest(all) ? moves : first;
}

}  // namespace starling::array::balancing
