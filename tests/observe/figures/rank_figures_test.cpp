// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/rank_figures.hpp"

#include <gtest/gtest.h>

#include "../analysis/situation.hpp"
#include "observe/figures/delay_count.hpp"
#include "observe/figures/traffic_matrix.hpp"

namespace starling::observe {
namespace {

using test::kSecond;

TEST(RankFigures, AreDifferencesByTime) {
  RankReading first{10 * kSecond, 100, 50, 5000, ProcessReading{kSecond, 3, 1 << 20}};
  RankReading second{12 * kSecond, 300, 150, 15'000, ProcessReading{4 * kSecond, 5, 2 << 20}};
  const RankFigures figures = figures_between(first, second, {40, 10});
  EXPECT_DOUBLE_EQ(figures.calls_per_s, 100);
  EXPECT_DOUBLE_EQ(figures.messages_per_s, 50);
  EXPECT_DOUBLE_EQ(figures.bytes_per_s, 5000);
  EXPECT_DOUBLE_EQ(*figures.cores, 1.5);
  EXPECT_DOUBLE_EQ(*figures.mpi_share, 0.25);
  EXPECT_EQ(figures.processor, 5);
  EXPECT_EQ(*figures.resident_bytes, 2u << 20);
}

TEST(RankFigures, KnowNothingOfAProcessThatIsNotSeen) {
  const RankFigures figures = figures_between({0, 9, 9, 9, {}}, {kSecond, 1, 1, 1, {}}, {});
  EXPECT_FALSE(figures.cores);
  EXPECT_FALSE(figures.mpi_share);
  EXPECT_FALSE(figures.resident_bytes);
  EXPECT_EQ(figures.calls_per_s, 0) << "counts that go back are those of another process";
}

TEST(TrafficMatrix, IsDarkerWhereMoreWasSent) {
  TrafficMatrix matrix(3);
  matrix.at(0, 1) = {1, 8};
  matrix.at(1, 2) = {10, 1 << 20};
  matrix.at(2, 0) = {5, 1 << 19};
  matrix.at(2, 1) = {5, 1 << 18};
  const std::vector<std::string> picture = matrix_picture(matrix, 80, 20);
  ASSERT_EQ(picture.size(), 5u);
  EXPECT_EQ(picture[0], "sent so far: 21 messages, 1.8M bytes; a line for each sender, a column for each receiver");
  EXPECT_EQ(picture[1], "@ is up to 1.0M bytes, and each shade of :-=+*#% half as much as the next; . is nothing");
  EXPECT_EQ(picture[2], "   0  . : .");
  EXPECT_EQ(picture[3], "   1  . . @");
  EXPECT_EQ(picture[4], "   2  % # .");
}

TEST(TrafficMatrix, PutsRanksTogetherWhereThereIsNoRoom) {
  TrafficMatrix matrix(100);
  matrix.at(99, 0) = {1, 8};
  const std::vector<std::string> picture = matrix_picture(matrix, 80, 23);
  EXPECT_LE(picture.size(), 23u);
  EXPECT_NE(picture[0].find("5 ranks share one"), std::string::npos) << picture[0];
  EXPECT_EQ(picture.back().substr(0, 8), "  95  @ ");
  EXPECT_EQ(matrix_picture(TrafficMatrix(2), 80, 24)[1], "no rank has sent anything yet");
}

TEST(TrafficMatrix, PutsTogetherWhatHostsTell) {
  JobEvidence evidence;
  evidence.ranks.resize(2);
  evidence.ranks[0].rank = 2;
  evidence.ranks[0].sent = {{0, 5, 100}, {7, 1, 1}};
  evidence.ranks[1].rank = 0;
  evidence.ranks[1].sent = {{1, 3, 30}};
  const TrafficMatrix matrix = matrix_of(evidence, 3);
  EXPECT_EQ(matrix.at(2, 0).messages, 5u);
  EXPECT_EQ(matrix.at(2, 0).bytes, 100u);
  EXPECT_EQ(matrix.at(0, 1).bytes, 30u);
  EXPECT_EQ(matrix.at(1, 0).messages, 0u);
}

TEST(DelayCount, CountsTheRankForWhichAllWait) {
  test::Situation situation(3);
  situation.receives(0, 1, 7).time_ns = kSecond;
  situation.receives(2, 1, 7).time_ns = kSecond;
  situation.set(1, Activity::kOutside);
  JobEvidence evidence;
  evidence.ranks.resize(3);
  for (std::int32_t rank = 0; rank < 3; ++rank) evidence.ranks[static_cast<std::size_t>(rank)].rank = rank;
  DelayCount delays;
  for (int i = 0; i < 6; ++i) delays.add(situation.snapshot());
  situation.set(1, Activity::kElsewhere);
  delays.add(situation.snapshot());
  delays.tell(evidence);
  EXPECT_EQ(evidence.snapshots_with_waits, 6u);
  EXPECT_EQ(evidence.ranks[1].awaited_alone, 6u);
  EXPECT_EQ(evidence.ranks[0].awaited_alone, 0u);
}

}  // namespace
}  // namespace starling::observe
