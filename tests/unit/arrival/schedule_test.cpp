// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>

#include "arrival/methods/fast.hpp"
#include "arrival/methods/generate.hpp"
#include "arrival/methods/pairing_heaps.hpp"
#include "arrival/methods/segment_tree.hpp"
#include "arrival/methods/window.hpp"
#include "arrival/schedule/validate.hpp"
#include "support/sanitized.hpp"
#include "unit/arrival/instances.hpp"

namespace starling::arrival {
namespace {

/// "round: sender>receiver:segment ..." for each round.
std::string text(const Schedule& schedule) {
  std::string lines;
  for (std::size_t index = 0; index < schedule.rounds.size(); ++index) {
    lines += std::to_string(schedule.rounds[index].number) + ":";
    for (const Transfer& transfer : schedule.of(index)) {
      lines.append(" ").append(std::to_string(transfer.sender)).append(">").append(std::to_string(transfer.receiver));
      lines.append(":s").append(std::to_string(transfer.segment));
    }
    lines += "\n";
  }
  return lines;
}

void expect_schedule(const Instance& instance, const std::string& expected) {
  for (const Method& method : methods()) {
    const auto schedule = make_schedule(instance.pattern(), method);
    ASSERT_TRUE(schedule.ok()) << schedule.status().message();
    EXPECT_EQ(text(schedule.value()), expected) << method.name;
  }
}

/// By the kernels of each instruction set that this machine has, also where the fast method leaves a small pattern to
/// another one.
void expect_equal_by_all_instruction_sets(const Instance& instance, const Schedule& reference) {
  static const FastKernels* fast = nullptr;
  static const TreeKernels* tree = nullptr;
  const Method windowed{"windowed", "",
                        [](const Pattern& pattern, RoundSink& sink) { run_windowed(pattern, sink, *fast); }};
  const Method by_tree{"tree", "",
                       [](const Pattern& pattern, RoundSink& sink) { run_segment_tree_by(*tree, pattern, sink); }};
  for (std::size_t i = 0; i < fast_kernels().size(); ++i) {
    fast = fast_kernels()[i];
    tree = tree_kernels()[i];
    const auto of_tree = make_schedule(instance.pattern(), by_tree);
    ASSERT_TRUE(of_tree.ok() && of_tree.value() == reference) << tree->instruction_set << ": " << instance.text();
    if (instance.pattern().segments > Window::kMostSegments) continue;
    const auto of_fast = make_schedule(instance.pattern(), windowed);
    ASSERT_TRUE(of_fast.ok() && of_fast.value() == reference) << fast->instruction_set << ": " << instance.text();
  }
}

void expect_valid_and_equal(const Instance& instance) {
  const auto reference = make_schedule(instance.pattern(), reference_method());
  ASSERT_TRUE(reference.ok()) << instance.text();
  const Status verdict = validate(instance.pattern(), reference.value());
  ASSERT_TRUE(verdict.ok()) << verdict.message() << "\n" << instance.text();
  std::vector<Method> others(methods().begin() + 1, methods().end());
  for (const Method& method : others) {
    const auto schedule = make_schedule(instance.pattern(), method);
    ASSERT_TRUE(schedule.ok());
    ASSERT_TRUE(schedule.value() == reference.value()) << method.name << ": " << instance.text();
  }
  expect_equal_by_all_instruction_sets(instance, reference.value());
}

void sweep(int instances, int max_processes, int max_segments, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  if (kUnderSanitizer) instances = (instances + 31) / 32;
  for (int i = 0; i < instances && !testing::Test::HasFatalFailure(); ++i) {
    expect_valid_and_equal(random_instance(random, max_processes, max_segments));
  }
}

TEST(Schedule, OfSection42KeepsWhatWasReceivedForTheNextRound) {
  expect_schedule({{0, 0, 0, 11}, 0, 4, 10},
                  "0: 1>0:s0 0>1:s1\n"
                  "1: 2>0:s0 3>1:s1 0>2:s2 1>3:s2\n"
                  "2: 3>0:s0 2>1:s1 0>2:s3 1>3:s3\n"
                  "3: 1>0:s1 3>2:s2 2>3:s3\n"
                  "4: 2>0:s2\n"
                  "5: 3>0:s3\n");
}

TEST(Schedule, OfSection51SkipsIdleRounds) {
  expect_schedule({{0, 1000, 2000, 3000}, 0, 1, 1}, "1000: 1>0:s0\n2000: 2>0:s0\n3000: 3>0:s0\n");
}

TEST(Schedule, OfSection543OrdersByFractionalArrival) {
  expect_schedule({{2, 11, 23}, 2, 2, 10}, "0: 1>0:s0 0>1:s1\n1: 1>0:s1\n2: 0>2:s0 2>0:s1\n3: 0>2:s1\n");
}

TEST(Schedule, WaitsForARootThatArrivesLast) {
  expect_schedule({{0, 0, 100}, 2, 2, 1}, "0: 1>0:s0 0>1:s1\n1: 1>0:s1\n100: 0>2:s0 2>0:s1\n101: 0>2:s1\n");
}

TEST(Schedule, OfARootThatOnlyTakesHasNoSendOfTheRoot) {
  expect_schedule({{0, 0, 100}, 2, 2, 1, RootRole::kOnlyTakes},
                  "0: 1>0:s0 0>1:s1\n1: 1>0:s1\n100: 0>2:s0\n101: 0>2:s1\n");
}

TEST(Schedule, OfOneProcessIsEmpty) { expect_schedule({{7}, 0, 3, 2}, ""); }

TEST(Schedule, OfBalancedArrivalsHasTheFewestRoundsPossible) {
  for (const int processes : {2, 7, 48, 64}) {
    for (const int segments : {1, 8, 64}) {
      const Instance instance{std::vector<Ticks>(static_cast<std::size_t>(processes), 5), 0, segments, 3};
      const auto schedule = make_schedule(instance.pattern());
      ASSERT_TRUE(schedule.ok());
      const int depth = std::bit_width(static_cast<unsigned>(processes) - 1);
      EXPECT_EQ(schedule.value().rounds.back().number + 1, segments - 1 + depth) << processes << " " << segments;
      expect_valid_and_equal(instance);
    }
  }
}

TEST(Schedule, OfARootThatOnlyTakesHasAsManyRoundsAndFewerTransfers) {
  const Instance takes_part{std::vector<Ticks>(48, 0), 0, 30, 1};
  Instance only_takes = takes_part;
  only_takes.root_role = RootRole::kOnlyTakes;
  const auto with = make_schedule(takes_part.pattern());
  const auto without = make_schedule(only_takes.pattern());
  EXPECT_EQ(with.value().rounds.back().number, without.value().rounds.back().number);
  EXPECT_GT(with.value().transfers.size(), without.value().transfers.size());
  EXPECT_EQ(without.value().transfers.size(), 47u * 30u);
}

TEST(Schedule, OfManySmallRandomInstancesIsValidAndTheSameByAllMethods) { sweep(20'000, 12, 8, 1); }
TEST(Schedule, OfRandomInstancesWiderThanAWordIsTheSameByAllMethods) { sweep(40, 200, 150, 2); }
TEST(Schedule, OfRandomInstancesWithHundredsOfSegmentsIsTheSameByAllMethods) { sweep(6, 80, 700, 3); }

// Takes minutes: the test arrival.million, label long.
TEST(Schedule, DISABLED_OfAMillionRandomInstancesIsValidAndTheSameByAllMethods) {
  sweep(1'000'000, 12, 8, 4);
  sweep(2'000, 200, 150, 5);
}

TEST(Schedule, OfThePapersInstancesIsTheSameByAllMethods) {
  std::mt19937_64 random(6);
  for (const int size : {4, 16, kUnderSanitizer ? 40 : 64, kUnderSanitizer ? 70 : 130}) {
    expect_valid_and_equal(uniform_instance(random, size, size));
    expect_valid_and_equal(skewed_instance(random, size, size));
  }
}

// Lemma 1: with one process a round the heaps take in and let go processes of the order of P * N * N times.
TEST(Schedule, OfLemma1TakesHeapOperationsByTheSquareOfTheSegments) {
  std::mt19937_64 random(1);
  for (const auto& [processes, segments] : {std::pair(64, 8), std::pair(64, 32), std::pair(256, 32)}) {
    const Instance instance = lemma_instance(random, processes, segments);
    expect_valid_and_equal(instance);
    const double squares = 1.0 * processes * segments * segments;
    const auto operations = static_cast<double>(heap_operations(instance.pattern()));
    EXPECT_GT(operations, 0.7 * squares) << processes << " by " << segments;
    EXPECT_LT(operations, 2.5 * squares) << processes << " by " << segments;
  }
}

TEST(Schedule, OfALargeMachineIsValid) {
  std::mt19937_64 random(7);
  constexpr int kProcesses = kUnderSanitizer ? 2048 : 16384;
  for (const Instance& instance : {uniform_instance(random, kProcesses, 8), skewed_instance(random, kProcesses, 8)}) {
    const auto schedule = make_schedule(instance.pattern());
    const auto tree = make_schedule(instance.pattern(), *find_method("segment_tree"));
    ASSERT_TRUE(schedule.ok() && tree.ok());
    EXPECT_TRUE(schedule.value() == tree.value());
  }
}

TEST(Schedule, EndsAtTheLimitsOfTimes) {
  expect_valid_and_equal({{0, kMaxTicks, kMaxTicks - 1, 5}, 1, 3, kMaxTicks});
  expect_valid_and_equal({{0, kMaxTicks, kMaxTicks - 1, 5}, 3, 3, 1});
}

TEST(Schedule, StepsOfEachRankAreTheRankSPartOfTheWhole) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 50; ++i) {
    const Instance instance = random_instance(random, 20, 20);
    const auto whole = make_schedule(instance.pattern());
    std::size_t steps = 0;
    for (int rank = 0; rank < instance.pattern().processes(); ++rank) {
      const auto own = make_steps(instance.pattern(), rank);
      ASSERT_TRUE(own.ok());
      OwnSteps filtered(rank);
      for (std::size_t r = 0; r < whole.value().rounds.size(); ++r) {
        filtered.take(whole.value().rounds[r].number, whole.value().of(r));
      }
      EXPECT_EQ(own.value(), filtered.release());
      steps += own.value().size();
    }
    EXPECT_EQ(steps, 2 * whole.value().transfers.size());
  }
}

TEST(Schedule, StatesTakeAtMostFiveBitsForEachProcessAndSegment) {
  std::mt19937_64 random(9);
  for (const auto& [processes, segments] : {std::pair{512, 512}, {4096, 64}, {1024, 128}, {128, 128}}) {
    if (kUnderSanitizer && processes != 128) continue;
    for (const Instance& instance :
         {uniform_instance(random, processes, segments), skewed_instance(random, processes, segments)}) {
      const double bits = 8.0 * static_cast<double>(fast_memory_bytes(instance.pattern()));
      EXPECT_LE(bits / processes / segments, 5.0) << processes << " processes, " << segments << " segments";
    }
  }
}

// The paper's 5: two leaves of a bit for each process and as many sums above, and the state itself.
TEST(Schedule, StatesOfTheTreeTakeFiveBitsWhereProcessesAreAPowerOfTwo) {
  std::mt19937_64 random(9);
  for (const auto& [processes, segments] : {std::pair{512, 512}, {64, 64}, {16, 128}, {1024, 256}}) {
    const Instance instance = uniform_instance(random, processes, segments);
    EXPECT_EQ(8 * segment_tree_state_bytes(instance.pattern()), static_cast<std::size_t>(5 * processes * segments))
        << processes << " by " << segments;
  }
}

void expect_refused(const Instance& instance, const std::string& word) {
  const auto schedule = make_schedule(instance.pattern());
  ASSERT_FALSE(schedule.ok()) << word;
  EXPECT_NE(schedule.status().message().find(word), std::string::npos) << schedule.status().message();
}

TEST(BadPattern, IsRefusedByName) {
  expect_refused({{}, 0, 1, 1}, "no process");
  expect_refused({{0, 0}, 2, 1, 1}, "the root is 2");
  expect_refused({{0, 0}, -1, 1, 1}, "the root is -1");
  expect_refused({{0, 0}, 0, 0, 1}, "0 segments");
  expect_refused({{0, 0}, 0, 1, 0}, "0 ticks");
  expect_refused({{0, -3}, 0, 1, 1}, "process 1 arrives at tick -3");
  expect_refused({{kMaxTicks + 1, 0}, 0, 1, 1}, "process 0");
  const Instance good{{0, 0}, 0, 1, 1};
  EXPECT_FALSE(make_steps(good.pattern(), 2).ok());
  EXPECT_FALSE(make_steps(good.pattern(), -1).ok());
}

TEST(BadPrediction, IsRefusedByName) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, infinite, std::numeric_limits<double>::quiet_NaN(), 1e30}) {
    const std::vector<double> seconds{0.5, bad};
    const auto ticks = ticks_from_seconds(seconds, 1e-9);
    ASSERT_FALSE(ticks.ok()) << bad;
    EXPECT_NE(ticks.status().message().find("process 1"), std::string::npos) << ticks.status().message();
  }
  EXPECT_FALSE(ticks_from_seconds(std::vector<double>{1.0}, 0).ok());
  EXPECT_EQ(ticks_from_seconds(std::vector<double>{0, 1.5e-9, 2e-6}, 1e-9).value(), (std::vector<Ticks>{0, 2, 2000}));
}

}  // namespace
}  // namespace starling::arrival
