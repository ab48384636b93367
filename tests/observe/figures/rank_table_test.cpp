// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/rank_table.hpp"

#include <gtest/gtest.h>

#include "../analysis/situation.hpp"

namespace starling::observe {
namespace {

using test::kSecond;
using test::Situation;

/// 0 waits for 1 in a receive; 2 and 3 wait for 0 and 1 in a barrier; 1 is outside MPI.
std::vector<RankRow> rows_of_a_late_rank() {
  Situation situation(4);
  situation.receives(0, 1, 7).time_ns = 8 * kSecond;
  situation.set(1, Activity::kOutside);
  situation.in_collective(2, "MPI_Barrier", 1).time_ns = 9 * kSecond;
  situation.in_collective(3, "MPI_Barrier", 1).time_ns = 5 * kSecond;
  std::vector<RankFigures> figures(4);
  figures[3].bytes_per_s = 2.5e6;
  figures[0].cores = 0.5;
  return rank_rows(situation.snapshot(), figures, {{}, Since{3 * kSecond, true}, {}, {}});
}

std::vector<std::int32_t> order_of(std::vector<RankRow> rows, RankOrder order, bool reversed = false) {
  sort_rows(rows, order, reversed);
  std::vector<std::int32_t> ranks;
  for (const RankRow& row : rows) ranks.push_back(row.rank);
  return ranks;
}

TEST(RankTable, SaysWhatEachRankDoesAndForWhom) {
  const std::vector<RankRow> rows = rows_of_a_late_rank();
  EXPECT_EQ(rows[0].what, "MPI_Recv with tag 7, for 1");
  EXPECT_EQ(rows[1].what, "outside MPI");
  EXPECT_EQ(rows[2].what, "MPI_Barrier, for 0 and 1");
  EXPECT_EQ(rows[1].waiters, 3u);
  EXPECT_EQ(rows[0].waiters, 2u);
  EXPECT_EQ(rows[2].waiters, 0u);
  EXPECT_EQ(rows[2].since->ns, 9 * kSecond);
  EXPECT_TRUE(rows[1].since->at_least);
}

TEST(RankTable, SortsTheLateFirstThenThoseThatWaitLongest) {
  EXPECT_EQ(order_of(rows_of_a_late_rank(), RankOrder::kLate), (std::vector{1, 0, 2, 3}));
}

TEST(RankTable, SortsByEachColumnAndBackwards) {
  const std::vector<RankRow> rows = rows_of_a_late_rank();
  EXPECT_EQ(order_of(rows, RankOrder::kRank), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(order_of(rows, RankOrder::kRank, true), (std::vector{3, 2, 1, 0}));
  EXPECT_EQ(order_of(rows, RankOrder::kTime), (std::vector{2, 0, 3, 1}));
  EXPECT_EQ(order_of(rows, RankOrder::kBytes).front(), 3);
  EXPECT_EQ(order_of(rows, RankOrder::kCpu).front(), 0);
}

TEST(RankTable, LinesStandBelowTheirHeadingAndFitTheWidth) {
  for (const std::size_t width : {std::size_t{79}, std::size_t{120}, std::size_t{0}}) {
    const std::string heading = table_heading(width);
    for (const RankRow& row : rows_of_a_late_rank()) {
      const std::string line = table_line(row, width);
      EXPECT_EQ(line.find(row.what.substr(0, 11)), heading.find("DOES")) << line;
      EXPECT_TRUE(width == 0 || line.size() <= width);
    }
  }
  EXPECT_EQ(table_line(rows_of_a_late_rank()[0], 0),
            "   0    8.0 s       2    ?       0       0       0   50%    ?      ?  MPI_Recv with tag 7, for 1");
}

TEST(RankTable, WritesNumbersShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(7), "7");
  EXPECT_EQ(short_number(1.25), "1.2");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1.0k");
  EXPECT_EQ(short_number(12'345), "12k");
  EXPECT_EQ(short_number(3.2e9), "3.2G");
}

TEST(RankTable, KeepsWhatWouldDisturbATerminalAway) {
  EXPECT_EQ(printable("a\x1b[2Jb\n", 0), "a?[2Jb?");
  EXPECT_EQ(printable("Gr\xc3\xb6\xc3\x9f"
                      "e",
                      4),
            "Gr\xc3\xb6\xc3\x9f");
}

TEST(RankTable, SumsUpWhatTheRanksDo) {
  std::vector<RankRow> rows(2);
  rows[0].figures.mpi_share = 0.2;
  rows[1].figures.mpi_share = 0.6;
  rows[0].figures.messages_per_s = 1500;
  rows[1].figures.bytes_per_s = 2e6;
  rows[1].figures.cores = 1.5;
  EXPECT_EQ(summary_text(rows), "40 % of the time in MPI; 1.5k messages and 2.0M bytes sent a second; 1.5 cores used");
}

}  // namespace
}  // namespace starling::observe
