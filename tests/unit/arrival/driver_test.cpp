// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What Starling's own collectives and the preloaded library drive late-aware calls by.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "arrival/drive/call_driver.hpp"
#include "arrival/drive/own_calls.hpp"
#include "arrival/drive/reduce_plan.hpp"

namespace starling::arrival {
namespace {

using Way = Choice::Way;

TEST(OwnCalls, ExpectTheNextCallAfterTheUsualTimeAway) {
  OwnCalls own;
  double now_s = 100;
  for (int call = 0; call < 5; ++call) {
    own.enter(now_s);
    own.leave(now_s + 1);
    now_s += 1 + 4;
  }
  EXPECT_DOUBLE_EQ(own.away_s(), 4);
  EXPECT_DOUBLE_EQ(own.next_s(), now_s);
  EXPECT_DOUBLE_EQ(own.time_s(), 5);
}

TEST(OwnCalls, HearOfProgressBetweenTwoCallsOnly) {
  OwnCalls own;
  EXPECT_FALSE(own.progress(1, 0.5)) << "before the first call";
  own.enter(1);
  EXPECT_FALSE(own.progress(2, 0.5)) << "in a call";
  own.leave(2);
  EXPECT_TRUE(own.progress(5, 0.5));
  EXPECT_DOUBLE_EQ(own.next_s(), 8);
  own.enter(8);
  own.leave(9);
  EXPECT_DOUBLE_EQ(own.away_s(), 6) << "progress counts until the next call";
  own.end();
  EXPECT_FALSE(own.progress(10, 0.5));
}

TEST(OwnCalls, DoNotCountWhatIsDoneBeforeACallIsEnteredAgain) {
  OwnCalls own;
  own.enter(1);
  own.enter_again(3);
  own.leave(4);
  EXPECT_DOUBLE_EQ(own.time_s(), 1);
}

/// Calls to which process 2 comes a second late, and that end so long after it.
void learn(CallDriver& driver, std::vector<Lateness>& lateness, Way way, double exposed_s, int calls) {
  const std::array<double, 3> entered_s = {0, 0, 1};
  const std::array<Ticks, 3> predicted = {0, 0, 1'000'000'000};
  const std::array<double, 3> left_s = {1, 1, 1 + exposed_s};
  for (int call = 0; call < calls; ++call) driver.learn({way, entered_s, left_s, predicted, 0.1}, lateness);
}

/// Going around process 2 lets the others leave at once; it itself leaves a second after it came, as it always does.
double saved(End end) {
  const std::array<double, 3> entered_s = {0, 0, 1};
  const std::array<Ticks, 3> predicted = {0, 0, 1'000'000'000};
  const std::array<double, 3> plain_s = {2, 2, 2};
  const std::array<double, 3> around_s = {1, 1, 2};
  CallDriver driver;
  std::vector<Lateness> lateness(3);
  for (int call = 0; call < 4; ++call) driver.learn({Way::kPlain, entered_s, plain_s, predicted, 0.1, end}, lateness);
  driver.learn({Way::kScheduled, entered_s, around_s, predicted, 0.1, end}, lateness);
  return driver.saved_s();
}

TEST(CallDriver, JudgesCallsBesideOtherWorkByWhatTheyTakeInTheMean) {
  EXPECT_NEAR(saved(End::kOfLast), 0, 1e-12);
  EXPECT_NEAR(saved(End::kOfMean), 1 - 1.0 / 3, 1e-12);
}

TEST(CallDriver, GoesAroundALateProcessOncePlainCallsAreKnown) {
  const std::array<Ticks, 3> late = {0, 0, 1'000'000'000};
  const std::array<Ticks, 3> together = {0, 0, 0};
  CallDriver driver;
  std::vector<Lateness> lateness(3);
  const Choice::Answer first = driver.decide(late, 0.1);
  EXPECT_EQ(first.way, Way::kPlain);
  learn(driver, lateness, Way::kPlain, 0.5, first.calls);
  int plain = first.calls;
  while (driver.decide(late, 0.1).way == Way::kPlain && plain < 100) {
    learn(driver, lateness, Way::kPlain, 0.5, 1);
    ++plain;
  }
  EXPECT_EQ(driver.decide(together, 0.1).way, Way::kPlain);
  EXPECT_EQ(driver.decide(late, 0.1).way, Way::kScheduled);
  learn(driver, lateness, Way::kScheduled, 0.25, 2);
  EXPECT_NEAR(driver.saved_s(), 2 * 0.25, 1e-12);
  const auto calls = static_cast<std::uint64_t>(plain) + 2;
  EXPECT_EQ(lateness[2].last, calls);
  EXPECT_NEAR(lateness[2].behind_s, static_cast<double>(calls), 1e-12);
  EXPECT_EQ(driver.imbalance().calls, calls);
  EXPECT_NEAR(driver.imbalance().factors, static_cast<double>(calls) * 10, 1e-9) << "ten messages fit into a second";
  EXPECT_NEAR(driver.imbalance().exits_s, plain * 0.5 + 2 * 0.25, 1e-9);
  EXPECT_NEAR(driver.lost_s(), static_cast<double>(calls) * 2 / 3, 1e-12) << "two of three wait for a second";
}

TEST(ReducePlan, IsRefusedAlikeAndCutsNoElement) {
  const std::array<Ticks, 4> arrivals = {5, 0, 9, 3};
  EXPECT_EQ(earliest(arrivals), 1);
  const Slicing slicing{8, 10};
  for (int rank = 0; rank < 4; ++rank) {
    const auto plan = plan_reduce(arrivals, slicing, 3, 1, rank);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan.value().cut.segments, 3) << "of three elements";
    EXPECT_EQ(plan.value().steps.empty(), false);
    const std::array<Ticks, 4> never = {0, 0, kMaxTicks + 1, 0};
    EXPECT_FALSE(plan_reduce(never, slicing, 3, 1, rank).ok());
  }
}

TEST(LastOnes, AreThoseCloseToTheLastInTheOrderOfArrival) {
  const std::vector<Ticks> arrivals = {500, 0, 490, 10, 500};
  using Ranks = std::vector<std::int32_t>;
  EXPECT_EQ(last_ones(arrivals, 1, 4), (Ranks{0, 4}));
  EXPECT_EQ(last_ones(arrivals, 11, 4), (Ranks{2, 0, 4}));
  EXPECT_EQ(last_ones(arrivals, 10, 4), (Ranks{0, 4}));
  EXPECT_EQ(last_ones(arrivals, 1000, 2), (Ranks{0, 4}));
  EXPECT_EQ(last_ones(arrivals, 1000, 1), (Ranks{4}));
  EXPECT_EQ(last_ones(std::vector<Ticks>{7}, 1000, 3), (Ranks{0}));
}

}  // namespace
}  // namespace starling::arrival
