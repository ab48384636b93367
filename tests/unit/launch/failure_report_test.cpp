// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/failure_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "launch/head/head_failure.hpp"

namespace starling::launch {
namespace {

RankPlaces places(std::initializer_list<std::pair<const char*, std::int32_t>> all) {
  RankPlaces found;
  for (const auto& [place, rank] : all) found.add({{place, place}}, rank);
  return found;
}

TEST(FailureReport, ComesBackAsItWas) {
  const FailureReport report{"rank 2 died\n", places({{"in MPI_Recv", 3}})};
  const Result<FailureReport> back = FailureReport::parse(report.serialised());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(
      back.value().text(),
      "rank 2 died\n  the other ranks then, and their calls before, the latest first:\n    rank 3: in MPI_Recv\n");
  const Result<FailureReport> alone = FailureReport::parse(FailureReport{"died\n", {}}.serialised());
  ASSERT_TRUE(alone.ok());
  EXPECT_FALSE(alone.value().others.has_value());
}

TEST(FailureReport, IsRefusedWhereItIsDamaged) {
  const std::string bytes = FailureReport{"died\n", places({{"dead", 1}, {"in MPI_Recv", 3}})}.serialised();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(FailureReport::parse(std::string_view(bytes).substr(0, length)).ok()) << length;
  EXPECT_FALSE(RankPlaces::parse(places({{"dead", 1}}).serialised() + "x").ok());
}

CallWords sendrecv(std::int32_t to) { return {formatted("MPI_Sendrecv to {}", to), "MPI_Sendrecv"}; }

TEST(RankPlaces, MergesCallsFromTheLatestOn) {
  const CallWords barrier{"in MPI_Barrier", "in MPI_Barrier"};
  const CallWords reduce{"MPI_Reduce", "MPI_Reduce"};
  RankPlaces ranks;
  ranks.add({barrier, reduce, sendrecv(1)}, 0);
  ranks.add({{"dead", "dead"}, reduce}, 1);
  RankPlaces other_node;
  other_node.add({barrier, reduce, sendrecv(3)}, 2);
  other_node.add({barrier, reduce, sendrecv(1), reduce}, 3);
  ranks.add(RankPlaces::parse(other_node.serialised()).value());
  EXPECT_EQ(ranks.text(),
            "  the other ranks then, and their calls before, the latest first:\n"
            "    ranks 0, 2 and 3: in MPI_Barrier\n"
            "      MPI_Reduce\n"
            "      ranks 0 and 3: MPI_Sendrecv to 1\n"
            "        rank 3: MPI_Reduce\n"
            "      rank 2: MPI_Sendrecv to 3\n"
            "    rank 1: dead\n"
            "      MPI_Reduce\n");
}

TEST(RankPlaces, TellsOfManyRanksInBrief) {
  RankPlaces ranks;
  const CallWords reduce{"MPI_Reduce", "MPI_Reduce"};
  for (std::int32_t rank = 0; rank < 64; ++rank) {
    const CallWords in{formatted("in MPI_Recv from {}", rank), "in MPI_Recv"};
    ranks.add({in, rank % 2 == 0 ? reduce : sendrecv(rank), sendrecv(rank + 1)}, rank);
  }
  const std::string text = ranks.text();
  EXPECT_TRUE(text.starts_with(
      "  the other ranks then, and their calls before, the latest first; without peers, roots and tags:\n"
      "    ranks 0 to 63: in MPI_Recv\n"))
      << text;
  EXPECT_NE(text.find("      ranks 0, 2, 4"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 6) << text;
}

TEST(RankPlaces, NeverHasMoreLinesThanAPersonReads) {
  RankPlaces ranks;
  for (std::int32_t rank = 0; rank < 1000; ++rank) {
    const std::string own = formatted("in call {}", rank);
    ranks.add({{own, own}, sendrecv(rank)}, rank);
  }
  const std::string text = ranks.text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 50);
  EXPECT_TRUE(text.ends_with("    and ranks at 952 other places\n")) << text;
}

/// What a head says when these come from its nodes 0, which has the failed rank, 1 and 2.
class HeadFailureSays : public testing::Test {
 protected:
  HeadFailureSays() { failure_.begin(0, {1, 2}); }
  void report(std::int32_t node) {
    failure_.on_report(node, FailureReport{"died\n", places({{"in MPI_Recv", 1}})}.serialised());
  }

  EventLoop loop_;
  std::string said_;
  HeadFailure failure_{loop_, [this](const std::string& lines) {
                         said_ += lines;
                         loop_.stop();
                       }};
};

TEST_F(HeadFailureSays, WhereTheRanksOfAllNodesAreOnceTheyHaveTold) {
  failure_.on_places(2, places({{"in MPI_Recv", 4}}).serialised());
  report(0);
  EXPECT_EQ(said_, "");
  failure_.on_places(1, places({{"dead", 2}, {"in MPI_Recv", 3}}).serialised());
  EXPECT_EQ(said_,
            "died\n  the other ranks then, and their calls before, the latest first:\n    ranks 1, 3 and 4: in "
            "MPI_Recv\n    rank 2: dead\n");
  failure_.finish();
  EXPECT_EQ(said_.find("died", 1), std::string::npos) << "once";
}

TEST_F(HeadFailureSays, WhatThereIsWhereANodeDoesNotTell) {
  report(1);
  failure_.finish();
  EXPECT_EQ(said_, "") << "of another node than the one that ended the job";
  report(0);
  failure_.on_gone(1);
  loop_.after(10'000'000'000, [this] { loop_.stop(); });
  EXPECT_TRUE(loop_.run());
  EXPECT_EQ(said_,
            "died\n  the other ranks then, and their calls before, the latest first:\n    rank 1: in MPI_Recv\n");
}

}  // namespace
}  // namespace starling::launch
