// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "arrival/choice.hpp"
#include "arrival/cost.hpp"
#include "arrival/predictor.hpp"

namespace starling::arrival {
namespace {

using Way = Choice::Way;

TEST(Predictor, RepeatsWhatNeverChanges) {
  Predictor predictor;
  for (int i = 0; i < 5; ++i) predictor.learn(0.25);
  EXPECT_DOUBLE_EQ(predictor.predict(), 0.25);
  EXPECT_EQ(predictor.seen(), 5);
}

TEST(Predictor, FollowsAChangeWithinSomeCalls) {
  Predictor predictor;
  for (int i = 0; i < 20; ++i) predictor.learn(1);
  for (int i = 0; i < 10; ++i) predictor.learn(2);
  EXPECT_GT(predictor.predict(), 1.9);
  EXPECT_LE(predictor.predict(), 2.0);
}

TEST(Predictor, BelievesProgressTheMoreTheFurtherItIs) {
  Predictor predictor;
  for (int i = 0; i < 5; ++i) predictor.learn(1);
  predictor.progress(1.0, 0.1);  // a tenth after one second: on the way to ten
  const double early = predictor.predict();
  predictor.progress(9.0, 0.9);
  const double late = predictor.predict();
  EXPECT_GT(early, 1.0);
  EXPECT_LT(early, late);
  EXPECT_NEAR(late, 9.9, 0.11);
  predictor.restart();
  EXPECT_DOUBLE_EQ(predictor.predict(), 1.0);
}

TEST(Predictor, TakesProgressAloneWhereThereIsNoHistory) {
  Predictor predictor;
  predictor.progress(2.0, 0.5);
  EXPECT_DOUBLE_EQ(predictor.predict(), 4.0);
  predictor.progress(2.0, 7.0);  // more than all is all
  EXPECT_DOUBLE_EQ(predictor.predict(), 2.0);
}

constexpr double kVector = 0.01;
constexpr double kSpread = 1.0;

Choice learned(double plain_s) {
  Choice choice;
  while (choice.choose(kSpread, kVector) == Way::kPlain) choice.learn(Way::kPlain, plain_s);
  return choice;
}

TEST(Choice, MeasuresThePlainWayFirst) {
  Choice choice;
  EXPECT_EQ(choice.choose(kSpread, kVector), Way::kPlain);
  choice = learned(0.1);
  EXPECT_EQ(choice.choose(kSpread, kVector), Way::kScheduled);
  EXPECT_NEAR(choice.plain_s(), 0.1, 1e-12);
}

TEST(Choice, RunsPlainlyWhereArrivalsAreBalanced) {
  const Choice choice = learned(0.1);
  EXPECT_EQ(choice.choose(kVector / 10, kVector), Way::kPlain);
}

TEST(Choice, StaysWithTheScheduleWhileItPays) {
  Choice choice = learned(0.1);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(choice.choose(kSpread, kVector), Way::kScheduled);
    choice.learn(Way::kScheduled, 0.05);
  }
}

TEST(Choice, CapsTheLossWhereTheScheduleDoesNotPay) {
  Choice choice = learned(0.1);
  double total = 0;
  constexpr int kCalls = 2000;
  int scheduled = 0;
  for (int i = 0; i < kCalls; ++i) {
    const Way way = choice.choose(kSpread, kVector);
    const double cost = way == Way::kScheduled ? 0.3 : 0.1;
    scheduled += way == Way::kScheduled ? 1 : 0;
    total += cost;
    choice.learn(way, cost);
  }
  EXPECT_LE(scheduled, 10);  // fewer and fewer tries
  EXPECT_GE(scheduled, 3);   // but it goes on trying
  EXPECT_LT(total, 1.03 * 0.1 * kCalls);
}

TEST(Choice, ComesBackWhenPredictionsBecomeGood) {
  Choice choice = learned(0.1);
  for (int i = 0; i < 60; ++i) {
    const Way way = choice.choose(kSpread, kVector);
    choice.learn(way, way == Way::kScheduled ? 0.3 : 0.1);
  }
  int scheduled = 0;
  for (int i = 0; i < 200; ++i) {
    const Way way = choice.choose(kSpread, kVector);
    scheduled += way == Way::kScheduled ? 1 : 0;
    choice.learn(way, way == Way::kScheduled ? 0.05 : 0.1);
  }
  EXPECT_GT(scheduled, 100);
}

/// A gigabit: 30 us and 8 ns a byte.
Link gigabit() {
  Link link{};
  for (std::size_t i = 0; i < link.size(); ++i) {
    const double wire_s = 8e-9 * static_cast<double>(kSampledBytes[i]);
    link[i] = {kSampledBytes[i], 60e-6 + wire_s, 10e-6 + wire_s};
  }
  return link;
}

TEST(Cost, CutsLongVectorsAndLeavesShortOnesWhole) {
  const Slicing of_long = slice(4 << 20, 48, gigabit(), 256);
  EXPECT_GT(of_long.segments, 8);
  EXPECT_LE(of_long.segments, 256);
  EXPECT_EQ(slice(1024, 48, gigabit(), 256).segments, 1);
  EXPECT_LE(slice(4 << 20, 48, gigabit(), 5).segments, 5);
}

TEST(Cost, OfTheChosenCutIsLessThanOfAWholeVector) {
  const Slicing slicing = slice(4 << 20, 48, gigabit(), 256);
  EXPECT_LT(scheduled_reduce_s(4 << 20, 48, gigabit(), slicing.segments),
            scheduled_reduce_s(4 << 20, 48, gigabit(), 1));
  EXPECT_LT(scheduled_reduce_s(4 << 20, 48, gigabit(), slicing.segments), plain_reduce_s(4 << 20, 48, gigabit()));
}

TEST(Cost, OfAMessageLiesOnTheLineThroughTheSamples) {
  EXPECT_NEAR(hop_s(1 << 20, gigabit()), 60e-6 + 8e-9 * (1 << 20), 1e-9);
  EXPECT_NEAR(hop_s(32 << 10, gigabit()), 60e-6 + 8e-9 * (32 << 10), 1e-9);
  EXPECT_DOUBLE_EQ(hop_s(0, gigabit()), gigabit().front().hop_s);
}

TEST(Cost, GivesRoundsThatLastASegment) {
  const Slicing slicing = slice(4 << 20, 48, gigabit(), 256);
  const double segment_s = 8e-9 * (4 << 20) / slicing.segments;
  EXPECT_GT(static_cast<double>(slicing.round_length), 1e9 * segment_s);
  EXPECT_LT(static_cast<double>(slicing.round_length), 1e9 * (segment_s + 60e-6));
}

}  // namespace
}  // namespace starling::arrival
