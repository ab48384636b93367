// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// hierarchical: processes in groups of about their square root. Refine between the groups, by their sums, then within
// each: so an element crosses to another group, another node say, only if its group has too much. Limits: with vacated
// processes it is refine over all. Cost: that of refine on the groups and on each group.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "strategy.hpp"

namespace starling::array::balancing {

namespace {

class Groups {
 public:
  Groups(const Problem& problem, int groups)
      : problem_(problem), now_(problem), count_(groups), members_(static_cast<std::size_t>(groups)) {
    for (int process = 0; process < problem.processes; ++process) {
      members_[static_cast<std::size_t>(group_of(process))].push_back(process);
    }
  }

  void between() {
    Problem coarse;
    coarse.processes = count_;
    coarse.tolerated = problem_.tolerated;
    coarse.elements = problem_.elements;
    for (Problem::Element& each : coarse.elements) each.process = group_of(each.process);
    std::size_t largest = 0;
    for (int group = 0; group < count_; ++group) largest = std::max(largest, members(group).size());
    const double average = average_load(problem_);
    for (int group = 0; group < count_; ++group) {
      // A smaller group counts as loaded by the processes that it lacks.
      double load = average * static_cast<double>(largest - members(group).size());
      for (const int each : members(group)) {
        if (!problem_.background.empty()) load += problem_.background[static_cast<std::size_t>(each)];
      }
      coarse.background.push_back(load);
    }
    std::vector<double> loads = process_loads(problem_);
    for (const Move& each : refine(coarse)) {
      const std::vector<int>& into = members(each.to);
      const int least = *std::min_element(into.begin(), into.end(), [&](int a, int b) {
        return loads[static_cast<std::size_t>(a)] < loads[static_cast<std::size_t>(b)];
      });
      Problem::Element& element = now_.elements[each.element];
      loads[static_cast<std::size_t>(element.process)] -= element.load;
      loads[static_cast<std::size_t>(least)] += element.load;
      element.process = least;
    }
  }

  void within(int group) {
    Problem part;
    part.processes = static_cast<int>(members(group).size());
    part.tolerated = problem_.tolerated;
    const int first = members(group).front();
    for (const int each : members(group)) {
      if (!problem_.background.empty()) part.background.push_back(problem_.background[static_cast<std::size_t>(each)]);
    }
    std::vector<std::uint32_t> names;
    for (std::uint32_t i = 0; i < now_.elements.size(); ++i) {
      Problem::Element each = now_.elements[i];
      if (group_of(each.process) != group) continue;
      each.process -= first;
      part.elements.push_back(each);
      names.push_back(i);
    }
    for (const Move& each : refine(part)) now_.elements[names[each.element]].process = first + each.to;
  }

  Moves moves() const {
    Moves result;
    for (std::uint32_t i = 0; i < now_.elements.size(); ++i) {
      const int to = now_.elements[i].process;
      if (to != problem_.elements[i].process) result.push_back({i, to});
    }
    return result;
  }

 private:
  int group_of(int process) const { return process * count_ / problem_.processes; }
  const std::vector<int>& members(int group) const { return members_[static_cast<std::size_t>(group)]; }

  const Problem& problem_;
  Problem now_;
  int count_;
  std::vector<std::vector<int>> members_;  // consecutive processes
};

}  // namespace

Moves hierarchical(const Problem& problem) {
  const auto count = static_cast<int>(std::lround(std::sqrt(problem.processes)));
  if (count <= 1 || !problem.vacated.empty()) return refine(problem);
  Groups groups(problem, count);
  groups.between();
  for (int group = 0; group < count; ++group) groups.within(group);
  return groups.moves();
}

}  // namespace starling::array::balancing
