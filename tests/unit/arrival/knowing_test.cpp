// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "arrival/predict/choice.hpp"
#include "arrival/predict/cost.hpp"
#include "arrival/predict/predictor.hpp"
#include "arrival/record/recorder.hpp"

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

TEST(Predictor, StaysANumberWhateverAProgramSays) {
  for (const double said : {std::nan(""), -1.0, 0.0, 1e-308, 2.0, std::numeric_limits<double>::infinity()}) {
    Predictor predictor;
    predictor.progress(3.0, said);
    EXPECT_LE(predictor.predict(), 1e6) << said;
    predictor.learn(1);
    EXPECT_GE(predictor.predict(), 1) << said;
    EXPECT_LE(predictor.predict(), 6) << said;
  }
}

TEST(Predictor, TakesProgressAloneWhereThereIsNoHistory) {
  Predictor predictor;
  predictor.progress(2.0, 0.5);
  EXPECT_DOUBLE_EQ(predictor.predict(), 4.0);
  predictor.progress(2.0, 7.0);  // more than all is all
  EXPECT_DOUBLE_EQ(predictor.predict(), 2.0);
}

TEST(Recorder, KeepsCallsApartByCommunicatorOperationSizeClassAndSite) {
  auto recorder = std::make_unique<Recorder>();
  const char sites[2] = {};
  static const char* const kReduce = "reduce";
  static const char* const kBcast = "bcast";
  const Site* const first = recorder->begin({&sites[0], 1, kReduce, 1000});
  EXPECT_EQ(recorder->begin({&sites[0], 1, kReduce, 600}), first);  // up to twice as many are one class
  EXPECT_NE(recorder->begin({&sites[0], 1, kReduce, 2000}), first);
  EXPECT_NE(recorder->begin({&sites[0], 2, kReduce, 1000}), first);
  EXPECT_NE(recorder->begin({&sites[0], 1, kBcast, 1000}), first);
  EXPECT_NE(recorder->begin({&sites[1], 1, kReduce, 1000}), first);
  EXPECT_EQ(first->calls, 2U);
  EXPECT_EQ(first->elements, 1600U);
  EXPECT_EQ(first->address, &sites[0]);
}

TEST(Recorder, DropsNewSitesWhenItIsFullAndKeepsTheOldOnes) {
  auto recorder = std::make_unique<Recorder>();
  const char site = 0;
  ASSERT_NE(recorder->begin({&site, 0, "reduce", 1}), nullptr);
  int dropped = 0;
  for (std::uint64_t comm = 1; comm < 2 * Recorder::kSites; ++comm) {
    dropped += recorder->begin({&site, comm, "reduce", 1}) == nullptr ? 1 : 0;
  }
  EXPECT_GE(dropped, static_cast<int>(Recorder::kSites) - 1);
  const Site* const old = recorder->begin({&site, 0, "reduce", 1});
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->calls, 2U);
}

constexpr double kVector = 0.01;
constexpr double kSpread = 1.0;

Choice learned(double plain_s) {
  Choice choice;
  while (choice.choose(kSpread, kVector).way == Way::kPlain) choice.learn(Way::kPlain, plain_s);
  return choice;
}

TEST(Choice, MeasuresThePlainWayFirst) {
  Choice choice;
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kPlain);
  choice = learned(0.1);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  EXPECT_NEAR(choice.plain_s(), 0.1, 1e-12);
}

TEST(Choice, RunsPlainlyWhereArrivalsAreBalanced) {
  Choice choice = learned(0.1);
  EXPECT_EQ(choice.choose(kVector / 10, kVector).way, Way::kPlain);
}

/// Runs so many calls as one that looks at predictions only when an answer holds no longer; returns how often it
/// looked.
int looks(Choice& choice, int calls, double spread_s, double scheduled_s) {
  int looked = 0;
  for (int i = 0; i < calls;) {
    const Choice::Answer answer = choice.choose(spread_s, kVector);
    ++looked;
    EXPECT_GE(answer.calls, 1);
    EXPECT_LE(answer.calls, Choice::kLongestHold);
    for (int held = 0; held < answer.calls; ++held, ++i) {
      choice.learn(answer.way, answer.way == Way::kPlain ? 0.1 : scheduled_s);
    }
  }
  return looked;
}

TEST(Choice, LooksEverMoreRarelyWhereNobodyIsLate) {
  Choice choice;
  EXPECT_LE(looks(choice, 640, 0, 0.05), 1 + 6 + 9);  // to learn, then after 1, 2, ... 32 calls, then every 64
}

TEST(Choice, FindsLatenessAtTheNextLookAndThenLooksOftenForAWhile) {
  Choice choice;
  looks(choice, 1000, 0, 0.05);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  EXPECT_EQ(choice.choose(0, kVector).calls, 1);
  EXPECT_EQ(choice.choose(0, kVector).calls, 2);
}

TEST(Choice, LooksAtEachCallWhereRanksTellOfThemselves) {
  Choice choice;
  looks(choice, 1000, 0, 0.05);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(choice.choose(0, kVector, 1).calls, 1);
}

TEST(Choice, DoesNotLookDuringAPause) {
  Choice often = learned(0.1);
  Choice rarely = learned(0.1);
  constexpr int kCalls = 500;
  int scheduled = 0;
  for (int i = 0; i < kCalls; ++i) {
    const Way way = often.choose(kSpread, kVector).way;
    scheduled += way == Way::kScheduled ? 1 : 0;
    often.learn(way, way == Way::kPlain ? 0.1 : 0.3);
  }
  EXPECT_LE(looks(rarely, kCalls, kSpread, 0.3), 2 * scheduled + kCalls / Choice::kLongestHold + 1);
}

TEST(Choice, StaysWithTheScheduleWhileItPays) {
  Choice choice = learned(0.1);
  int plain = 0;
  for (int i = 0; i < 1000; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    plain += way == Way::kPlain ? 1 : 0;
    choice.learn(way, way == Way::kPlain ? 0.1 : 0.05);
  }
  EXPECT_GE(plain, 5);  // it looks again now and then
  EXPECT_LE(plain, 20);
}

TEST(Choice, DoesNotJudgeTheFirstCallOfEitherWay) {
  Choice choice;
  choice.learn(Way::kPlain, 10);
  while (choice.choose(kSpread, kVector).way == Way::kPlain) choice.learn(Way::kPlain, 0.1);
  EXPECT_NEAR(choice.plain_s(), 0.1, 1e-12);
  choice.learn(Way::kScheduled, 10);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  choice.learn(Way::kScheduled, 0.2);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kPlain);
}

TEST(Choice, LeavesAScheduleThatHasBecomeSlowerThanPlain) {
  Choice choice = learned(0.1);
  for (int i = 0; i < 2000; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    choice.learn(way, way == Way::kScheduled ? 0.05 : 0.02);
  }
  EXPECT_LT(choice.plain_s(), 0.03);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kPlain);
}

TEST(Choice, CapsTheLossWhereTheScheduleDoesNotPay) {
  Choice choice = learned(0.1);
  double total = 0;
  constexpr int kCalls = 2000;
  int scheduled = 0;
  for (int i = 0; i < kCalls; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    const double cost = way == Way::kScheduled ? 0.3 : 0.1;
    scheduled += way == Way::kScheduled ? 1 : 0;
    total += cost;
    choice.learn(way, cost);
  }
  EXPECT_LE(scheduled, 10);  // fewer and fewer tries
  EXPECT_GE(scheduled, 3);   // but it goes on trying
  EXPECT_LT(total, 1.03 * 0.1 * kCalls);
}

TEST(Choice, IsNotTakenInByLuckyCalls) {
  Choice choice = learned(0.1);
  int scheduled = 0;
  constexpr int kCalls = 2000;
  for (int i = 0; i < kCalls; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    if (way == Way::kScheduled) ++scheduled;
    choice.learn(way, way == Way::kPlain ? 0.1 : scheduled % 3 == 2 ? 0.05 : 0.3);
  }
  EXPECT_LE(scheduled, kCalls / 50);
}

TEST(Choice, ComesBackWhenPredictionsBecomeGood) {
  Choice choice = learned(0.1);
  for (int i = 0; i < 60; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    choice.learn(way, way == Way::kScheduled ? 0.3 : 0.1);
  }
  int scheduled = 0;
  for (int i = 0; i < 200; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
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
