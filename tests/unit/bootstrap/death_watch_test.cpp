// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/death_watch.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>

namespace starling::bootstrap {
namespace {

using memory::JobGeometry;
using memory::JobSegment;
using memory::RankState;

/// Rank 0 is this process; the others are children that sleep.
class DeathWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    JobGeometry geometry;
    geometry.ranks = 3;
    segment_ = JobSegment::create(geometry).value();
    for (std::uint32_t rank = 0; rank < geometry.ranks; ++rank) {
      segment_->rank(LocalRank(rank)).pid = rank == 0 ? getpid() : sleeper();
      segment_->rank(LocalRank(rank)).state = RankState::kInitialized;
    }
    watch_ = DeathWatch::start(*segment_, LocalRank(0), [this](LocalRank rank) { dead_.set_value(rank); });
    if (watch_ == nullptr) GTEST_SKIP() << "this kernel has no pidfd";
  }
  void TearDown() override {
    for (const std::uint32_t rank : {1u, 2u}) end(LocalRank(rank));
  }

  static pid_t sleeper() {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    return child;
  }
  void end(LocalRank rank) {
    const pid_t child = segment_->rank(rank).pid;
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  void finalize(LocalRank rank) { segment_->rank(rank).state = RankState::kFinalized; }

  std::unique_ptr<JobSegment> segment_;
  std::promise<LocalRank> dead_;
  std::unique_ptr<DeathWatch> watch_;
};

TEST_F(DeathWatchTest, TellsOfTheNextRank) {
  end(LocalRank(1));
  EXPECT_EQ(dead_.get_future().get(), LocalRank(1));
}

TEST_F(DeathWatchTest, GoesOnToTheNextButOneWhenTheNextHasFinalized) {
  finalize(LocalRank(1));
  end(LocalRank(1));
  end(LocalRank(2));
  EXPECT_EQ(dead_.get_future().get(), LocalRank(2));
}

TEST_F(DeathWatchTest, IsSilentWhenAllHaveFinalized) {
  for (const std::uint32_t rank : {1u, 2u}) {
    finalize(LocalRank(rank));
    end(LocalRank(rank));
  }
  watch_.reset();
  EXPECT_EQ(dead_.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(DeathWatchTest, EndsWhenNobodyHasDied) {
  watch_.reset();
  EXPECT_EQ(dead_.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

}  // namespace
}  // namespace starling::bootstrap
