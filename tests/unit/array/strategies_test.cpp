// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancing strategies as functions: what all keep to, and what each promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <starling/array/balance.hpp>
#include <stdexcept>

#include "balance/strategy.hpp"
#include "support/sanitized.hpp"

namespace starling::array::balancing {
namespace {

Problem random_problem(std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  Problem problem;
  problem.processes = 1 + static_cast<int>(chance() % 12);
  problem.group = 3;
  const std::size_t count = chance() % 200;
  for (std::size_t i = 0; i < count; ++i) {
    Problem::Element each;
    each.load = static_cast<double>(chance() % 1000) / 1000;
    each.process = static_cast<int>(chance() % static_cast<unsigned>(problem.processes));
    each.is_fixed = chance() % 10 == 0;
    problem.elements.push_back(each);
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    problem.links.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1), 100, 1});
  }
  if (chance() % 3 == 0) problem.background.assign(static_cast<std::size_t>(problem.processes), 0.5);
  if (chance() % 3 == 0 && problem.processes > 1) {
    problem.vacated.assign(static_cast<std::size_t>(problem.processes), false);
    problem.vacated[chance() % problem.vacated.size()] = true;
  }
  for (std::size_t i = 0; i < count && seed % 2 == 0; ++i) {
    const int process = static_cast<int>(chance() % static_cast<unsigned>(problem.processes));
    problem.anchors.push_back({static_cast<std::uint32_t>(i), process, 100, 1});
  }
  return problem;
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, MovesOnceWhatIsNotFixedToWhereItIsTaken) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_problem(seed);
    const Plan plan = balance(GetParam(), problem);
    std::vector<int> moved(problem.elements.size());
    std::vector<int> at;
    for (const Problem::Element& each : problem.elements) at.push_back(each.process);
    for (const Move& each : plan.moves) {
      ASSERT_LT(each.element, problem.elements.size()) << "seed " << seed;
      ASSERT_TRUE(each.to >= 0 && each.to < problem.processes) << "seed " << seed;
      EXPECT_FALSE(problem.elements[each.element].is_fixed) << "seed " << seed;
      EXPECT_NE(each.to, problem.elements[each.element].process) << "seed " << seed;
      EXPECT_EQ(moved[each.element]++, 0) << "seed " << seed;
      if (!problem.vacated.empty()) {
        EXPECT_FALSE(problem.vacated[static_cast<std::size_t>(each.to)]) << "seed " << seed;
      }
      at[each.element] = each.to;
    }
    for (std::size_t i = 0; i < at.size() && !problem.vacated.empty(); ++i) {
      const bool stays = problem.vacated[static_cast<std::size_t>(at[i])];
      EXPECT_TRUE(!stays || problem.elements[i].is_fixed) << "seed " << seed << ": a vacated process keeps " << i;
    }
  }
}

TEST_P(EveryStrategy, LeavesNothingWorseButRotate) {
  if (GetParam() == "rotate") return;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_problem(seed);
    if (!problem.vacated.empty() || problem.elements.empty()) continue;
    const Verdict verdict = balance(GetParam(), problem).verdict;
    // greedy starts anew, so it may end a little above a start that was very good; its own bound is 4/3 of the best.
    const double slack = GetParam() == "greedy" ? 1.34 : GetParam() == "graph" ? 1.011 : 1.0001;
    EXPECT_LE(verdict.imbalance_after, std::max(verdict.imbalance_before, 1.05) * slack) << "seed " << seed;
    EXPECT_GE(verdict.imbalance_after, verdict.bound - 1e-9) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(strategies()),
                         [](const testing::TestParamInfo<std::string>& each) { return each.param; });

/// 64 elements on 2 processes, a quarter of them four times as heavy, all of those on the first.
Problem quarter_heavy() {
  Problem problem;
  problem.processes = 2;
  for (int i = 0; i < 64; ++i) problem.elements.push_back({i < 16 ? 4.0 : 1.0, i / 32, false});
  return problem;
}

TEST(Greedy, EvensOutAnUnevenLoad) { EXPECT_LT(balance("greedy", quarter_heavy()).verdict.imbalance_after, 1.02); }

TEST(Refine, DoesWithATenthOfGreedysMovesWhatGreedyDoes) {
  const Plan plan = balance("refine", quarter_heavy());
  EXPECT_LE(plan.verdict.imbalance_after, 1.02);
  EXPECT_LE(plan.moves.size(), 6u);
}

TEST(Refine, MovesNothingThatIsBalanced) {
  Problem problem;
  problem.processes = 8;
  for (int i = 0; i < 800; ++i) problem.elements.push_back({1.0, i % 8, false});
  EXPECT_TRUE(balance("refine", problem).moves.empty());
  EXPECT_TRUE(balance("hierarchical", problem).moves.empty());
  EXPECT_TRUE(balance("diffusion", problem).moves.empty());
  EXPECT_TRUE(balance("greedy", problem).moves.empty());
}

TEST(Diffusion, SpreadsWhatLiesOnOneProcess) {
  Problem problem;
  problem.processes = 8;
  for (int i = 0; i < 800; ++i) problem.elements.push_back({1.0, 0, false});
  EXPECT_LT(balance("diffusion", problem).verdict.imbalance_after, 1.3);
}

TEST(Hierarchical, SpreadsWhatLiesOnOneProcess) {
  Problem problem;
  problem.processes = 9;
  problem.group = 3;
  for (int i = 0; i < 900; ++i) problem.elements.push_back({1.0, 0, false});
  EXPECT_LT(balance("hierarchical", problem).verdict.imbalance_after, 1.05);
}

TEST(Graph, BringsTogetherWhatTalks) {
  Problem problem;
  problem.processes = 4;
  for (std::uint32_t i = 0; i < 64; ++i) {
    problem.elements.push_back({1.0, static_cast<int>(i % 4), false});
    if (i % 16 != 0) problem.links.push_back({i - 1, i, 1000, 1});
  }
  const Verdict verdict = balance("graph", problem).verdict;
  EXPECT_LT(verdict.bytes_between_after, 0.5 * verdict.bytes_between_before);
  EXPECT_LE(verdict.imbalance_after, 1.02);
}

/// A grid of even elements, each of whom talks to its four neighbours, anywhere on 4 processes.
constexpr int kSide = 32;
Problem shuffled_grid() {
  Problem problem;
  problem.processes = 4;
  for (int i = 0; i < kSide * kSide; ++i) problem.elements.push_back({1.0, i % 4, false});
  std::mt19937_64 chance(1);
  for (std::size_t i = problem.elements.size() - 1; i > 0; --i) {
    std::swap(problem.elements[i].process, problem.elements[chance() % (i + 1)].process);
  }
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    if (i % kSide != 0) problem.links.push_back({i - 1, i, 1000, 1});
    if (i >= kSide) problem.links.push_back({i, i - kSide, 1000, 1});
  }
  return problem;
}

Problem after(Problem problem, const std::vector<Move>& moves) {
  for (const Move& each : moves) problem.elements[each.element].process = each.to;
  return problem;
}

TEST(Graph, DividesAGridThatWasShuffled) {
  const Problem problem = shuffled_grid();
  const Plan plan = balance("graph", problem);
  EXPECT_GT(plan.verdict.messages_between_before, 1300);  // three of four
  EXPECT_LE(plan.verdict.messages_between_after, 110);    // 64 for four squares
  EXPECT_EQ(plan.verdict.bytes_between_after, 1000 * plan.verdict.messages_between_after);
  EXPECT_LE(plan.verdict.imbalance_after, 1.02);
  EXPECT_LE(plan.moves.size(), 800u);  // the names of the parts leave a quarter where it is, and some
  const Plan again = balance("graph", after(problem, plan.moves));
  EXPECT_LE(again.moves.size(), 16u);
  EXPECT_LE(again.verdict.bytes_between_after, plan.verdict.bytes_between_after);
}

TEST(Graph, MovesLittleWhenLoadShiftsALittle) {
  Problem problem = shuffled_grid();
  problem = after(problem, balance("graph", problem).moves);
  const double before = judge(problem, {}).messages_between_before;
  for (std::size_t i = 0; i < 64; ++i) problem.elements[i].load = 2;
  const Plan plan = balance("graph", problem);
  EXPECT_LE(plan.verdict.imbalance_after, 1.03);
  EXPECT_LE(plan.moves.size(), 200u);
  EXPECT_LE(plan.verdict.messages_between_after, 2 * before);
}

TEST(Graph, BringsElementsToWhatTheyAreAnchoredTo) {
  Problem problem;
  problem.processes = 4;
  const auto anchored = [](std::uint32_t i) { return static_cast<int>(i * 7 % 64 / 16); };
  for (std::uint32_t i = 0; i < 64; ++i) {
    problem.elements.push_back({1.0, static_cast<int>(i / 16), false});
    problem.anchors.push_back({i, anchored(i), 1000, 1});
  }
  const Plan plan = balance("graph", problem);
  EXPECT_GT(plan.verdict.messages_between_before, 30);
  EXPECT_EQ(plan.verdict.messages_between_after, 0);
  EXPECT_EQ(plan.verdict.imbalance_after, 1);
  for (const Move& each : plan.moves) EXPECT_EQ(each.to, anchored(each.element));
  problem.cost_of_move = 1e5;
  EXPECT_TRUE(balance("graph", problem).moves.empty());
}

TEST(Graph, StaysEvenWhereAllAreAnchoredToOneProcess) {
  Problem problem = shuffled_grid();
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) problem.anchors.push_back({i, 2, 1000, 1});
  const Verdict verdict = balance("graph", problem).verdict;
  EXPECT_LE(verdict.imbalance_after, 1.02);
  EXPECT_LE(verdict.messages_between_after, 110 + 0.76 * kSide * kSide);  // links, and anchors of three in four
}

TEST(Graph, KeepsWhatLiesWellWhenMeasuredLoadsWaver) {
  Problem problem = shuffled_grid();
  problem = after(problem, balance("graph", problem).moves);
  problem.cost_of_move = 100;  // a tenth of a link
  std::mt19937_64 chance(1);
  for (int step = 0; step < 5; ++step) {
    const double before = judge(problem, {}).messages_between_before;
    for (Problem::Element& each : problem.elements) {
      each.load = 0.7 + 0.6 * static_cast<double>(chance() % 1000) / 1000 + (each.process == step % 4 ? 0.1 : 0);
    }
    const Plan plan = balance("graph", problem);
    EXPECT_LE(plan.verdict.imbalance_after, 1.021) << step;
    EXPECT_LE(plan.moves.size(), problem.elements.size() / 20) << step;
    EXPECT_LE(plan.verdict.messages_between_after, 1.15 * before) << step;
    problem = after(problem, plan.moves);
  }
}

TEST(Graph, EmptiesAProcessTowardsWhomItsElementsTalkTo) {
  Problem problem;
  problem.processes = 4;
  for (std::uint32_t i = 0; i < 64; ++i) {
    problem.elements.push_back({1.0, static_cast<int>(i / 16), false});
    if (i > 0) problem.links.push_back({i - 1, i, 1000, 1});
  }
  problem.vacated = {false, true, false, false};
  const Plan plan = balance("graph", problem);
  EXPECT_LE(plan.verdict.imbalance_after, 1.06);  // 22 of 64 on one of three
  EXPECT_LE(plan.verdict.messages_between_after, 4);
}

TEST(Graph, StaysWhereMovesCostMoreThanTheySave) {
  Problem problem = shuffled_grid();
  problem.cost_of_move = 1e5;
  EXPECT_TRUE(balance("graph", problem).moves.empty());
}

TEST(Partition, NamesPartsAfterTheProcessesThatHaveThem) {
  const Problem problem = shuffled_grid();
  const std::vector<int> at = partition(problem);
  ASSERT_EQ(at.size(), problem.elements.size());
  Problem renamed = problem;
  for (std::size_t i = 0; i < at.size(); ++i) renamed.elements[i].process = (at[i] + 1) % 4;
  EXPECT_TRUE(moves_to(renamed, partition(renamed)).empty());
}

TEST(Partition, GivesLessToWhoHasOtherLoad) {
  Problem problem = shuffled_grid();
  problem.background = {128, 0, 0, 0};
  const std::vector<double> loads = process_loads(problem, moves_to(problem, partition(problem)));
  EXPECT_LE(*std::max_element(loads.begin(), loads.end()), 1.05 * average_load(problem));
}

TEST(Partition, LeavesTheSequenceOfRandAlone) {
  const Problem problem = shuffled_grid();
  std::srand(7);
  const int expected = std::rand();
  std::srand(7);
  partition(problem);
  EXPECT_EQ(std::rand(), expected);
}

TEST(Partition, PrintsNothing) {
  testing::internal::CaptureStdout();
  for (std::uint64_t seed = 1; seed <= (kUnderSanitizer ? 100 : 1000); ++seed) partition(random_problem(seed));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Rotate, MovesEverything) { EXPECT_EQ(balance("rotate", quarter_heavy()).moves.size(), 64u); }

TEST(Verdict, SpeaksOfBytesOnlyWhereElementsTalk) {
  Problem problem = quarter_heavy();
  EXPECT_EQ(judge(problem, {}).text().find("bytes"), std::string::npos);
  problem.links.push_back({0, 63, 1000, 5});
  EXPECT_NE(judge(problem, {}).text().find("1000 bytes in 5 messages"), std::string::npos);
}

TEST(Unmeasured, WeighAsTheMeanOfTheOthers) {
  Problem problem;
  problem.elements = {{2, 0, false}, {-1, 0, false}, {0, 0, false}};
  weigh_unmeasured(problem);
  EXPECT_EQ(problem.elements[0].load, 2);
  EXPECT_EQ(problem.elements[1].load, 1);
  EXPECT_EQ(problem.elements[2].load, 0);
  problem.elements = {{-1, 0, false}};
  weigh_unmeasured(problem);
  EXPECT_EQ(problem.elements[0].load, 0);
}

TEST(Balance, NamesTheStrategiesThatThereAre) {
  try {
    balance("gready", Problem());
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("greedy"), std::string::npos);
  }
}

}  // namespace
}  // namespace starling::array::balancing
