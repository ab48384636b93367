// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <starling/array/balance.hpp>
#include <stdexcept>

#include "strategy.hpp"

namespace starling::array {

namespace balancing {

namespace {

// kLinks: Problem::links and anchors as well; kGroups: loads, each leader those of a group
enum class LooksAt { kLoads, kLinks, kGroups };

struct Strategy {
  const char* name;
  Moves (*moves)(const Problem&);
  LooksAt looks_at;
};
constexpr Strategy kStrategies[] = {
#define STARLING_LIST_STRATEGY(name, looks_at) {#name, name, LooksAt::looks_at},
    STARLING_STRATEGIES(STARLING_LIST_STRATEGY)
#undef STARLING_LIST_STRATEGY
};

const Strategy& strategy_named(std::string_view name) {
  std::string known;
  for (const Strategy& each : kStrategies) {
    if (each.name == name) return each;
    known += known.empty() ? each.name : std::string(", ") + each.name;
  }
  throw std::invalid_argument("no balancing strategy is called '" + std::string(name) + "'; there are " + known);
}

/// Of the links and anchors, between processes.
Problem::Link between(const Problem& problem, const Moves& moves) {
  const std::vector<int> at = places(problem, moves);
  Problem::Link sum;
  for (const Problem::Link& each : problem.links) {
    if (at[each.from] == at[each.to]) continue;
    sum.bytes += each.bytes;
    sum.messages += each.messages;
  }
  for (const Problem::Anchor& each : problem.anchors) {
    if (at[each.element] == each.process) continue;
    sum.bytes += each.bytes;
    sum.messages += each.messages;
  }
  return sum;
}

}  // namespace

std::vector<int> takers(const Problem& problem) {
  std::vector<int> result;
  for (int process = 0; process < problem.processes; ++process) {
    if (takes(problem, process)) result.push_back(process);
  }
  return result;
}

std::vector<double> process_loads(const Problem& problem, const Moves& moves) {
  std::vector<double> loads(static_cast<std::size_t>(problem.processes));
  if (!problem.background.empty()) loads = problem.background;
  for (const Problem::Element& each : problem.elements) loads[static_cast<std::size_t>(each.process)] += each.load;
  for (const Move& each : moves) {
    const Problem::Element& element = problem.elements[each.element];
    loads[static_cast<std::size_t>(element.process)] -= element.load;
    loads[static_cast<std::size_t>(each.to)] += element.load;
  }
  return loads;
}

double average_load(const Problem& problem) {
  const std::vector<double> loads = process_loads(problem);
  const std::vector<int> to = takers(problem);
  return to.empty() ? 0 : std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(to.size());
}

std::vector<int> places(const Problem& problem, const Moves& moves) {
  std::vector<int> at;
  at.reserve(problem.elements.size());
  for (const Problem::Element& each : problem.elements) at.push_back(each.process);
  for (const Move& each : moves) at[each.element] = each.to;
  return at;
}

Moves moves_to(const Problem& problem, const std::vector<int>& at) {
  Moves moves;
  for (std::uint32_t i = 0; i < at.size(); ++i) {
    if (at[i] != problem.elements[i].process) moves.push_back({i, at[i]});
  }
  return moves;
}

double cost_of_links(const Problem& problem, const Moves& moves) {
  return anybody_talks(problem) ? cost_of(problem, between(problem, moves)) : 0;
}

bool wants_links(std::string_view strategy) { return strategy_named(strategy).looks_at == LooksAt::kLinks; }

bool by_groups(std::string_view strategy) { return strategy_named(strategy).looks_at == LooksAt::kGroups; }

Plan balance(std::string_view strategy, const Problem& problem) {
  Plan plan{strategy_named(strategy).moves(problem), {}};
  plan.verdict = judge(problem, plan.moves);
  return plan;
}

Verdict judge(const Problem& problem, const std::vector<Move>& moves) {
  Verdict verdict;
  verdict.moves = moves.size();
  const double average = average_load(problem);
  if (average > 0) {
    const std::vector<double> before = process_loads(problem);
    const std::vector<double> after = process_loads(problem, moves);
    verdict.imbalance_before = *std::max_element(before.begin(), before.end()) / average;
    verdict.imbalance_after = *std::max_element(after.begin(), after.end()) / average;
    double largest = average;
    for (const Problem::Element& each : problem.elements) largest = std::max(largest, each.load);
    for (const double each : problem.background) largest = std::max(largest, each);
    verdict.bound = largest / average;
  }
  if (!anybody_talks(problem)) return verdict;
  const Problem::Link before = between(problem, {});
  const Problem::Link after = between(problem, moves);
  verdict.bytes_between_before = before.bytes;
  verdict.bytes_between_after = after.bytes;
  verdict.messages_between_before = before.messages;
  verdict.messages_between_after = after.messages;
  return verdict;
}

std::string Verdict::text() const {
  char line[160];
  std::snprintf(line, sizeof line, "imbalance %.3f, with %zu moves %.3f; the largest element alone bounds it to %.3f",
                imbalance_before, moves, imbalance_after, bound);
  if (bytes_between_before == 0 && messages_between_before == 0) return line;
  char more[160];
  std::snprintf(more, sizeof more, "; %.0f bytes in %.0f messages between processes, then %.0f in %.0f",
                bytes_between_before, messages_between_before, bytes_between_after, messages_between_after);
  return line + std::string(more);
}

void weigh_unmeasured(Problem& problem) {
  double sum = 0;
  double measured = 0;
  for (const Problem::Element& each : problem.elements) {
    if (each.load < 0) continue;
    sum += each.load;
    ++measured;
  }
  const double mean = measured == 0 ? 0 : sum / measured;
  for (Problem::Element& each : problem.elements) {
    if (each.load < 0) each.load = mean;
  }
}

}  // namespace balancing

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const balancing::Strategy& each : balancing::kStrategies) names.emplace_back(each.name);
  return names;
}

}  // namespace starling::array
