// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "arrival/predict/cost.hpp"
#include "arrival/predict/predictor.hpp"
#include "arrival/record/lateness.hpp"
#include "arrival/record/recorder.hpp"
#include "arrival/record/table.hpp"

namespace starling::arrival {
namespace {

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

TEST(Table, HasTheImbalanceAndTheExitsOfACall) {
  CallSummary summary;
  summary.calls = 4;
  summary.imbalance = {4, 3, 50.0, 0.008};
  summary.ranks = {{1, 0.001, 0, 0}, {3, 0.009, 0, 0}};
  const std::string line = line_of(nullptr, "reduce", 65536, summary);
  EXPECT_NE(line.find(" 12.5     75     2.000  rank 1 in 75 %, by 3.000 ms\n"), std::string::npos) << line;
  const std::string head = table_head();
  const std::string columns = head.substr(head.find('\n') + 1);
  EXPECT_EQ(line.find("rank 1"), columns.rfind("late")) << head << line;
  summary.imbalance = {};
  const std::string of_none = line_of(nullptr, "reduce", 65536, summary);
  EXPECT_NE(of_none.find(" 0.0      0     0.000 "), std::string::npos) << of_none;
  EXPECT_EQ(std::count(of_none.begin(), of_none.end(), '\n'), 1) << "there is no pattern of no call";
}

TEST(Table, HasTheArrivalAndTheExitPatternRankByRank) {
  CallSummary summary;
  summary.calls = 2;
  summary.imbalance.calls = 2;
  summary.ranks.resize(3);
  EXPECT_DOUBLE_EQ(note_call(std::array{1.0, 1.25, 1.5}, std::array{2.5, 2.0, 2.25}, summary.ranks), 0.25);
  EXPECT_DOUBLE_EQ(note_call(std::array{3.25, 3.0, 3.125}, std::array{4.0, 4.0, 4.0}, summary.ranks), 0.125);
  const std::string lines = line_of(nullptr, "reduce", 65536, summary);
  EXPECT_NE(lines.find("\n    came 125.000 125.000 312.500\n    left 250.000 0.000 125.000\n"), std::string::npos)
      << lines;
  summary.ranks.resize(1000);
  EXPECT_LT(line_of(nullptr, "reduce", 65536, summary).size(), 1500U) << "a job may have thousands of ranks";
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
