// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancing in a tree of groups: who leads whom, what leaders tell, and how even it becomes beside what one process
// that knows all would do.
#include "balance/groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

namespace starling::array::balancing {
namespace {

TEST(Groups, GiveEachProcessOneLeaderOfEachLevel) {
  for (const int processes : {1, 2, 4, 5, 16, 17, 37, 64, 65, 1000}) {
    const GroupTree tree{processes, 4};
    EXPECT_EQ(tree.leader(processes - 1, tree.top()), 0);
    for (int level = 1; level <= tree.top(); ++level) {
      int led = 0;
      for (int leader = 0; leader < processes; leader = leader + tree.members(leader, level)) {
        ASSERT_EQ(tree.leader(leader, level), leader);
        int below = 0;
        ASSERT_LE(tree.parts(leader, level), 4);
        for (int i = 0; i < tree.parts(leader, level); ++i) {
          const int first = tree.part(leader, level, i);
          EXPECT_EQ(tree.leader(first, level), leader);
          EXPECT_EQ(first, leader + below);
          below += tree.members(first, level - 1);
        }
        EXPECT_EQ(below, tree.members(leader, level));
        led += below;
      }
      EXPECT_EQ(led, processes) << processes << " processes, level " << level;
    }
  }
}

TEST(Groups, GiveAwayWhatTheyMustAndWhatOthersOfThemLack) {
  std::mt19937_64 chance(1);
  const auto draw = [&] { return static_cast<double>(chance() % 1000) / 100; };
  for (int round = 0; round < 200; ++round) {
    std::vector<Part> parts;
    double load = 0;
    for (int i = 0; i < 1 + round % 9; ++i) {
      parts.push_back({10 * i, 1 + static_cast<int>(chance() % 10), 5 + draw()});
      load += parts.back().load;
    }
    Task task{round % 3 == 0 ? draw() : 0, {}};
    for (int i = 0; i < round % 4; ++i) task.outgoing.push_back({1000 * (i + 1), 100, load / 10});
    double processes = 0;
    for (const Part& each : parts) processes += each.count;
    const double average =
        (load + task.incoming * processes - load / 10 * static_cast<double>(task.outgoing.size())) / processes;
    const std::vector<Task> tasks = share_out(task, parts, 1);
    std::vector<double> out(5);  // to each of the others, and within
    for (std::size_t i = 0; i < parts.size(); ++i) {
      double now = parts[i].load + tasks[i].incoming * parts[i].count;
      for (const Outflow& each : tasks[i].outgoing) {
        EXPECT_GT(each.load, 0);
        now -= each.load;
        out[static_cast<std::size_t>(each.first / 1000)] += each.load;
      }
      EXPECT_NEAR(now, average * parts[i].count, 1e-6) << "round " << round;
    }
    for (std::size_t i = 1; i <= task.outgoing.size(); ++i) EXPECT_NEAR(out[i], load / 10, 1e-6) << "round " << round;
  }
}

TEST(Groups, ThatAreEvenEnoughGiveNothing) {
  for (const Task& each : share_out({}, {{0, 4, 4.05}, {4, 4, 3.95}}, 1.02)) EXPECT_TRUE(each.outgoing.empty());
  EXPECT_EQ(share_out({}, {{0, 4, 4.2}, {4, 4, 3.8}}, 1.02)[0].outgoing.size(), 1u);
}

/// Elements whose loads differ by a factor of about 10, on processes of which some have several times as many.
Problem uneven(int processes, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  std::lognormal_distribution<double> load(0, 0.7);
  Problem problem;
  problem.processes = processes;
  for (int process = 0; process < processes; ++process) {
    const int count = 10 + 30 * (process / 7 % 3) + static_cast<int>(chance() % 10);
    for (int i = 0; i < count; ++i) problem.elements.push_back({load(chance), process, false});
  }
  return problem;
}

Problem after(Problem problem, const Plan& plan) {
  for (const Move& each : plan.moves) problem.elements[each.element].process = each.to;
  return problem;
}

TEST(Groups, AreInTwoStepsAsEvenAsOneProcessThatKnowsAllWouldMakeThem) {
  for (const int processes : {32, 64, 256, 1024}) {
    const Problem problem = uneven(processes, static_cast<std::uint64_t>(processes));
    const Plan all = balance("refine", problem);
    const Plan first = balance("hierarchical", problem);
    const Plan second = balance("hierarchical", after(problem, first));
    std::printf(
        "%d processes: imbalance %.3f; refine %.3f with %zu moves; in groups %.3f with %zu, then %.3f with %zu\n",
        processes, all.verdict.imbalance_before, all.verdict.imbalance_after, all.moves.size(),
        first.verdict.imbalance_after, first.moves.size(), second.verdict.imbalance_after, second.moves.size());
    EXPECT_LT(first.verdict.imbalance_after, 1.35);
    EXPECT_LT(second.verdict.imbalance_after, 1.05);
    EXPECT_LT(first.moves.size() + second.moves.size(), 2 * all.moves.size());
  }
}

/// The largest task that a leader of processes is given, in flows, where all load is in the first quarter.
std::size_t longest_task(int processes) {
  const GroupTree tree{processes, 4};
  std::size_t longest = 0;
  const auto lead = [&](const auto& self, int leader, int level, const Task& task) -> void {
    longest = std::max(longest, task.outgoing.size());
    if (level == 1) return;
    std::vector<Part> parts;
    for (int i = 0; i < tree.parts(leader, level); ++i) {
      const int first = tree.part(leader, level, i);
      const int count = tree.members(first, level - 1);
      parts.push_back({first, count, static_cast<double>(std::clamp(processes / 4 - first, 0, count))});
    }
    const std::vector<Task> tasks = share_out(task, parts, 1.02);
    for (std::size_t i = 0; i < parts.size(); ++i) self(self, parts[i].first, level - 1, tasks[i]);
  };
  lead(lead, 0, tree.top(), {});
  return longest;
}

TEST(Groups, ReadAFewLinesForEachLevelHoweverManyProcessesThereAre) {
  for (const int processes : {16, 64, 256, 1024, 4096}) {
    EXPECT_LE(longest_task(processes), 4u * static_cast<unsigned>(GroupTree{processes, 4}.top())) << processes;
  }
}

}  // namespace
}  // namespace starling::array::balancing
