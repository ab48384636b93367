// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "groups.hpp"

#include <numeric>

namespace starling::array::balancing {

std::vector<Task> share_out(const Task& task, const std::vector<Part>& parts, double tolerated) {
  double load = 0;
  double processes = 0;
  double given = 0;
  for (const Part& each : parts) {
    load += each.load + task.incoming * each.count;
    processes += each.count;
  }
  for (const Outflow& each : task.outgoing) given += each.load;
  const double average = (load - given) / processes;
  std::vector<Task> tasks(parts.size(), Task{task.incoming, {}});
  const auto surplus_of = [&](const Part& part) { return part.load + (task.incoming - average) * part.count; };
  const auto is_even = [&](const Part& part) { return surplus_of(part) <= (tolerated - 1) * average * part.count; };
  if (task.outgoing.empty() && std::all_of(parts.begin(), parts.end(), is_even)) return tasks;
  std::vector<Outflow> wanted = task.outgoing;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double surplus = surplus_of(parts[i]);
    if (surplus >= 0) continue;
    wanted.push_back({parts[i].first, parts[i].count, -surplus});
    tasks[i].incoming -= surplus / parts[i].count;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double surplus = surplus_of(parts[i]);
    while (surplus > 1e-9 * average && next < wanted.size()) {
      Outflow& to = wanted[next];
      const double amount = std::min(surplus, to.load);
      if (amount > 0) tasks[i].outgoing.push_back({to.first, to.count, amount});
      surplus -= amount;
      to.load -= amount;
      if (to.load <= 1e-9 * average) ++next;
    }
  }
  return tasks;
}

/// Each flow is a process more that lacks as much; then refine evens all out, and what it gave to those goes on.
Moves carry_out(const Task& task, const Problem& group, int first) {
  Problem problem = group;
  const auto count = static_cast<std::size_t>(group.processes);
  if (problem.background.empty()) problem.background.assign(count, 0);
  for (double& each : problem.background) each += task.incoming;
  double load = std::accumulate(problem.background.begin(), problem.background.end(), 0.0);
  for (const Problem::Element& each : problem.elements) load += each.load;
  for (const Outflow& each : task.outgoing) load -= each.load;
  const double average = load / static_cast<double>(count);
  for (const Outflow& each : task.outgoing) problem.background.push_back(average - each.load);
  problem.processes += static_cast<int>(task.outgoing.size());
  Moves moves = refine(problem);
  // Leaders begin at different places of a flow's processes, so that not all give to the same.
  std::vector<std::int64_t> given(task.outgoing.size(), first);
  for (Move& each : moves) {
    if (each.to < group.processes) {
      each.to += first;
      continue;
    }
    const std::size_t flow = static_cast<std::size_t>(each.to) - count;
    const Outflow& to = task.outgoing[flow];
    each.to = static_cast<std::int32_t>(to.first + given[flow]++ % to.count);
  }
  return moves;
}

}  // namespace starling::array::balancing
