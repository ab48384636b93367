// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_deaths.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "launch/link/messages.hpp"

namespace starling::launch {
namespace {

using How = memory::Losses::How;

/// Three hosts with two ranks each; mpiexec is on the first.
class HeadDeathsTest : public testing::Test {
 protected:
  HeadDeathsTest() : nodes_(3) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      nodes_[node].host.name = std::string(1, static_cast<char>('a' + node));
      nodes_[node].step = Step::kRunning;
      nodes_[node].share.ranks = {WorldRank(2 * node), WorldRank(2 * node + 1)};
    }
    nodes_[0].is_here = true;
  }

  /// "2:5": node 2 has been told that rank 5 is dead; "2!5": it shall end rank 5.
  std::string told() {
    std::string text;
    for (const Frame& frame : std::exchange(sent_, {})) {
      text += formatted("{}{}{}{}", text.empty() ? "" : " ", frame.node, frame.kind == FrameKind::kDied ? ":" : "!",
                        number_in<WorldRank>(frame.body).value);
    }
    return text;
  }

  void lose(std::size_t node) {
    nodes_[node].step = Step::kGone;
    nodes_[node].is_lost = true;
    deaths_.on_host_lost(static_cast<std::int32_t>(node));
  }

  void end(std::size_t node, int exit_code, bool finished) {
    nodes_[node].over.exit_code = exit_code;
    nodes_[node].over.finished = finished;
  }

  std::vector<HeadNode> nodes_;
  std::vector<Frame> sent_;
  std::vector<std::string> lost_;
  int waits_ = 0;
  HeadDeaths deaths_{nodes_,
                     {[this](Frame frame) { sent_.push_back(std::move(frame)); },
                      [this](std::int32_t node, const std::string& why) {
                        lost_.push_back(formatted("{}: {}", node, why));
                        lose(static_cast<std::size_t>(node));
                      },
                      [this] { ++waits_; }}};
};

TEST_F(HeadDeathsTest, AreToldOnceToTheOthers) {
  deaths_.on_died(1, WorldRank(3));
  EXPECT_EQ(told(), "0:3 2:3");
  lose(1);
  EXPECT_EQ(told(), "0:2 2:2");
  deaths_.on_died(1, WorldRank(2));
  EXPECT_EQ(told(), "");
}

TEST_F(HeadDeathsTest, ARankWhoseConnectionHasEndedIsEndedWhereItIs) {
  deaths_.on_rank_lost(0, {WorldRank(5), How::kEnd});
  EXPECT_EQ(told(), "2!5");
  deaths_.on_died(2, WorldRank(5));
  told();
  deaths_.on_rank_lost(1, {WorldRank(5), How::kEnd});
  EXPECT_EQ(told(), "");
}

TEST_F(HeadDeathsTest, OfTwoHostsThatDoNotReachEachOtherTheOneGoesThatWasToldOf) {
  deaths_.on_rank_lost(1, {WorldRank(4), How::kSilence});
  deaths_.on_rank_lost(1, {WorldRank(5), How::kSilence});
  EXPECT_EQ(waits_, 1);
  EXPECT_TRUE(lost_.empty());
  deaths_.give_up_hosts();
  EXPECT_EQ(lost_, (std::vector<std::string>{"2: it and host b do not reach each other any more"}));
  EXPECT_EQ(told(), "0:4 1:4 0:5 1:5");
  // What the lost one had said of the other comes too late.
  deaths_.on_rank_lost(2, {WorldRank(2), How::kSilence});
  deaths_.on_rank_lost(2, {WorldRank(2), How::kEnd});
  deaths_.give_up_hosts();
  EXPECT_EQ(lost_.size(), 1u);
  EXPECT_EQ(told(), "");
}

TEST_F(HeadDeathsTest, AHostThatReachesNobodyGoesWhateverItSaysOfOthers) {
  deaths_.on_rank_lost(1, {WorldRank(4), How::kSilence});
  deaths_.on_rank_lost(1, {WorldRank(5), How::kSilence});
  deaths_.on_rank_lost(0, {WorldRank(3), How::kSilence});
  deaths_.give_up_hosts();
  EXPECT_EQ(lost_, (std::vector<std::string>{"1: it and host c do not reach each other any more"}));
}

TEST_F(HeadDeathsTest, AHostWhoseRanksAreDeadMeanwhileIsNotGivenUp) {
  deaths_.on_rank_lost(1, {WorldRank(4), How::kSilence});
  deaths_.on_died(2, WorldRank(4));
  deaths_.give_up_hosts();
  EXPECT_TRUE(lost_.empty());
}

TEST_F(HeadDeathsTest, NorIsMpiexecsOwn) {
  deaths_.on_rank_lost(1, {WorldRank(0), How::kSilence});
  deaths_.give_up_hosts();
  EXPECT_EQ(lost_, (std::vector<std::string>{"1: it and host a do not reach each other any more"}));
  nodes_[2].is_here = true;
  deaths_.on_rank_lost(2, {WorldRank(0), How::kSilence});
  deaths_.give_up_hosts();
  EXPECT_EQ(lost_.size(), 1u);
}

TEST_F(HeadDeathsTest, LeaveTheStatusOfTheRanksThatFinish) {
  lose(1);
  end(0, 0, true);
  end(2, 0, true);
  EXPECT_EQ(deaths_.exit_code(), 0);
  end(2, 3, true);
  EXPECT_EQ(deaths_.exit_code(), 3);
  end(0, 137, false);
  EXPECT_EQ(deaths_.exit_code(), 3);
}

TEST_F(HeadDeathsTest, WithoutARankThatFinishesTheFirstDeathIsTheStatus) {
  deaths_.on_died(2, WorldRank(4));
  lose(1);
  end(0, 139, false);
  end(2, 137, false);
  EXPECT_EQ(deaths_.exit_code(), 137);
}

TEST_F(HeadDeathsTest, AreNoFailureWhereNobodyHasCalledMpi) {
  deaths_.on_died(2, WorldRank(4));
  EXPECT_EQ(deaths_.exit_code(), 0);
  lose(1);
  EXPECT_EQ(deaths_.exit_code(), EXIT_FAILURE);
}

}  // namespace
}  // namespace starling::launch
