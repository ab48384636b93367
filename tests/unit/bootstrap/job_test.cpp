// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/job.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdlib>

#include "bootstrap/environment.hpp"

namespace starling::bootstrap {
namespace {

using memory::CrashRecord;
using memory::JobGeometry;
using memory::JobSegment;
using memory::RankState;

/// Plays the launcher: a segment of its own, and the environment that a rank would find.
class JoinTest : public testing::Test {
 protected:
  void SetUp() override {
    clear();
    JobGeometry geometry;
    geometry.ranks = 3;
    segment_ = JobSegment::create(geometry).value();
    int ends[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    event_ = Descriptor(ends[0]);
    ranks_event_ = Descriptor(ends[1]);
  }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* variable : kJobVariables) unsetenv(variable);
  }
  void offer(std::uint32_t rank) {
    setenv(kSegmentVariable, std::to_string(dup(segment_->descriptor())).c_str(), 1);
    setenv(kEventVariable, std::to_string(dup(ranks_event_.get())).c_str(), 1);
    setenv(kRankVariable, std::to_string(rank).c_str(), 1);
  }
  bool launcher_was_woken() {
    char byte = 0;
    return read(event_.get(), &byte, 1) == 1;
  }

  std::unique_ptr<JobSegment> segment_;
  Descriptor event_;
  Descriptor ranks_event_;
};

TEST_F(JoinTest, WithoutALauncherAProcessIsAloneAndFillsTheHeaderItself) {
  const Job job = join({}).value();
  EXPECT_FALSE(job.launched);
  EXPECT_EQ(job.rank, WorldRank(0));
  EXPECT_EQ(job.size(), 1);
  EXPECT_TRUE(job.warnings.empty());
  EXPECT_GE(job.segment->header().usable_cores, 1u);
  EXPECT_EQ(job.segment->rank(LocalRank(0)).pid.load(), getpid());
}

TEST_F(JoinTest, ARankClaimsItsPlaceAndLeavesNoTraceForItsChildren) {
  offer(2);
  const Job job = join({}).value();
  EXPECT_TRUE(job.launched);
  EXPECT_EQ(job.rank, WorldRank(2));
  EXPECT_EQ(job.local_rank, LocalRank(2));
  EXPECT_EQ(job.size(), 3);
  EXPECT_EQ(segment_->rank(LocalRank(2)).pid.load(), getpid());
  EXPECT_EQ(std::getenv(kSegmentVariable), nullptr);
  EXPECT_EQ(std::getenv(kRankVariable), nullptr);
  EXPECT_TRUE(fcntl(job.segment->descriptor(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(fcntl(job.launcher_event.number(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(JoinTest, ASecondProcessOfTheSameRankIsAloneAndSaysWhy) {
  segment_->rank(LocalRank(1)).pid = 4711;
  offer(1);
  const Job job = join({}).value();
  EXPECT_FALSE(job.launched);
  EXPECT_EQ(job.size(), 1);
  ASSERT_EQ(job.warnings.size(), 1u);
  EXPECT_NE(job.warnings[0].find("rank 1 of this job already belongs to process 4711"), std::string::npos);
}

TEST_F(JoinTest, AProgramBelowARankIsAloneAndSaysWhose) {
  offer(1);
  const Job outer = join({}).value();
  const Job inner = join({}).value();
  EXPECT_FALSE(inner.launched);
  ASSERT_EQ(inner.warnings.size(), 1u);
  EXPECT_NE(inner.warnings[0].find("started by rank 1"), std::string::npos);
}

/// The three local ranks are 1, 3 and 4 of five; each has a listener that is a file here.
class JoinNodesTest : public JoinTest {
 protected:
  void SetUp() override {
    JoinTest::SetUp();
    JobGeometry geometry;
    geometry.ranks = 3;
    geometry.world_ranks = 5;
    segment_ = JobSegment::create(geometry).value();
    card_.job = 4711;
    card_.nodes = {{"a", {WorldRank(0), WorldRank(2)}, 4, {0, 0}},
                   {"b", {WorldRank(1), WorldRank(3), WorldRank(4)}, 2, {0, 0, 0}}};
    card_.own_node = 1;
    card_.entrances.assign(5, {{"10.0.0.1:4000", "eth0"}});
    card_.listeners = {{dup(event_.get())}, {dup(event_.get())}, {dup(event_.get())}};
  }
  int offer_with_card(std::uint32_t local) {
    offer(local);
    const int number = dup(card_.to_file().value().get());
    setenv(kCardVariable, std::to_string(number).c_str(), 1);
    return number;
  }

  JobCard card_;
};

TEST_F(JoinNodesTest, ARankOfSeveralNodesHasItsWorldRankFromTheCard) {
  const int number = offer_with_card(1);
  const Job job = join({}).value();
  EXPECT_EQ(job.rank, WorldRank(3));
  EXPECT_EQ(job.local_rank, LocalRank(1));
  EXPECT_EQ(job.size(), 5);
  EXPECT_EQ(job.id, 4711U);
  EXPECT_EQ(job.placement->node_of(WorldRank(2)), 0);
  EXPECT_EQ(job.placement->fewest_usable_cores(), 2);
  ASSERT_TRUE(job.card.has_value());
  EXPECT_EQ(JobCard::of(*job.card), card_);
  EXPECT_EQ(job.listeners, card_.listeners[1]);
  EXPECT_TRUE(fcntl(card_.listeners[1][0], F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(std::getenv(kCardVariable), nullptr);
  EXPECT_LT(fcntl(number, F_GETFD), 0) << "the card, with its secret, is still open";
}

TEST_F(JoinNodesTest, WarningsNameWorldRanks) {
  offer_with_card(2);
  const Job outer = join({}).value();
  EXPECT_EQ(outer.rank, WorldRank(4));
  const Job inner = join({}).value();
  EXPECT_NE(inner.warnings.at(0).find("started by rank 4"), std::string::npos) << inner.warnings.at(0);
  segment_->rank(LocalRank(0)).pid = 4711;
  offer_with_card(0);
  const Job second = join({}).value();
  EXPECT_FALSE(second.card.has_value());
  EXPECT_EQ(second.size(), 1);
  EXPECT_NE(second.warnings.at(0).find("rank 1 of this job already belongs"), std::string::npos);
}

TEST_F(JoinNodesTest, ACardOfAnotherJobIsRefused) {
  card_.nodes[0].ranks.push_back(WorldRank(5));
  card_.nodes[0].app_numbers.push_back(0);
  card_.entrances.emplace_back();
  offer_with_card(0);
  const Result<Job> job = join({});
  ASSERT_FALSE(job.ok());
  EXPECT_NE(job.status().message().find("different jobs"), std::string::npos) << job.status().message();
}

TEST_F(JoinNodesTest, ACardThatIsNotThereIsRefused) {
  for (const char* value : {"", "x", "987"}) {
    offer(0);
    setenv(kCardVariable, value, 1);
    EXPECT_FALSE(join({}).ok()) << value;
  }
}

TEST_F(JoinTest, ARankBeyondTheJobIsRefused) {
  offer(3);
  EXPECT_FALSE(join({}).ok());
}

TEST_F(JoinTest, ABrokenEnvironmentIsRefused) {
  for (const char* value : {"", "x", "-1", "3 "}) {
    offer(0);
    setenv(kRankVariable, value, 1);
    EXPECT_FALSE(join({}).ok()) << value;
  }
}

TEST_F(JoinTest, AClosedDescriptorIsRefusedWithTheLikelyCause) {
  offer(0);
  setenv(kSegmentVariable, "987", 1);
  const Result<Job> job = join({});
  ASSERT_FALSE(job.ok());
  EXPECT_NE(job.status().message().find("wrapper script"), std::string::npos);
}

TEST_F(JoinTest, AnAnnouncedStateIsReadByTheLauncher) {
  offer(0);
  Job job = join({}).value();
  announce(job, RankState::kInitialized);
  EXPECT_EQ(segment_->rank(LocalRank(0)).state.load(), RankState::kInitialized);
}

TEST_F(JoinTest, AnAbortLeavesRankCodeAndTextAndWakesTheLauncher) {
  offer(1);
  const pid_t child = fork();
  if (child == 0) {
    Job job = join({}).value();
    abort(job, 42, "no more food");
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(segment_->header().abort_rank.load(), 1);
  EXPECT_EQ(segment_->header().abort_code.load(), 42);
  EXPECT_EQ(segment_->rank(LocalRank(1)).crash.state.load(), CrashRecord::kWritten);
  EXPECT_STREQ(segment_->rank(LocalRank(1)).crash.what, "no more food");
  EXPECT_TRUE(launcher_was_woken());
}

TEST_F(JoinTest, TheFirstAbortOfAJobIsKept) {
  segment_->header().abort_rank = 2;
  offer(1);
  const pid_t child = fork();
  if (child == 0) {
    Job job = join({}).value();
    abort(job, 42, std::string(10'000, 'x'));
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(segment_->header().abort_rank.load(), 2);
  EXPECT_EQ(segment_->header().abort_code.load(), 0);
}

TEST_F(JoinTest, ALongTextIsCutNotOverrun) {
  offer(1);
  const pid_t child = fork();
  if (child == 0) {
    Job job = join({}).value();
    abort(job, 1, std::string(10'000, 'x'));
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(std::string_view(segment_->rank(LocalRank(1)).crash.what).size(), sizeof(CrashRecord::what) - 1);
}

}  // namespace
}  // namespace starling::bootstrap
