// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// hierarchical: processes in groups, and groups of those (groups.hpp), each of which is balanced for itself: an element
// crosses to another group only if its own has too much. A step of an array with more processes than a group has is
// decided that way, by the leaders (balancer_groups.hpp); here it is all computed in one place, for the others and for
// tests. Limits: what comes from another group is spread over the processes of its new one blindly, so large elements
// need another step. With vacated processes it is refine over all. Cost: that of refine on each group.
#include <algorithm>
#include <utility>
#include <vector>

#include "groups.hpp"

namespace starling::array::balancing {

namespace {

class Leaders {
 public:
  explicit Leaders(const Problem& problem)
      : problem_(problem), tree_{problem.processes, problem.group}, loads_(process_loads(problem)) {
    of_process_.resize(loads_.size());
    for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
      of_process_[static_cast<std::size_t>(problem.elements[i].process)].push_back(i);
    }
  }

  Moves moves() {
    lead(0, tree_.top(), {});
    return std::move(moves_);
  }

 private:
  void lead(int leader, int level, const Task& task) {
    if (level == 1) return lead_processes(leader, task);
    std::vector<Part> parts;
    for (int i = 0; i < tree_.parts(leader, level); ++i) {
      Part& part = parts.emplace_back(Part{tree_.part(leader, level, i), 0, 0});
      part.count = tree_.members(part.first, level - 1);
      for (int process = part.first; process < part.first + part.count; ++process) {
        part.load += loads_[static_cast<std::size_t>(process)];
      }
    }
    const std::vector<Task> tasks = share_out(task, parts, problem_.tolerated);
    for (std::size_t i = 0; i < parts.size(); ++i) lead(parts[i].first, level - 1, tasks[i]);
  }

  void lead_processes(int leader, const Task& task) {
    Problem group;
    group.processes = tree_.members(leader, 1);
    group.tolerated = problem_.tolerated;
    std::vector<std::uint32_t> names;
    for (int i = 0; i < group.processes; ++i) {
      const auto process = static_cast<std::size_t>(leader + i);
      if (!problem_.background.empty()) group.background.push_back(problem_.background[process]);
      for (const std::uint32_t each : of_process_[process]) {
        const Problem::Element& element = problem_.elements[each];
        group.elements.push_back({element.load, i, element.is_fixed});
        names.push_back(each);
      }
    }
    for (const Move& each : carry_out(task, group, leader)) moves_.push_back({names[each.element], each.to});
  }

  const Problem& problem_;
  GroupTree tree_;
  std::vector<double> loads_;
  std::vector<std::vector<std::uint32_t>> of_process_;
  Moves moves_;
};

double highest(const Problem& problem, const Moves& moves) {
  const std::vector<double> loads = process_loads(problem, moves);
  return *std::max_element(loads.begin(), loads.end());
}

}  // namespace

Moves hierarchical(const Problem& problem) {
  if (problem.processes <= problem.group || !problem.vacated.empty()) return refine(problem);
  Moves moves = Leaders(problem).moves();
  if (highest(problem, moves) > highest(problem, {})) return {};
  return moves;
}

}  // namespace starling::array::balancing
