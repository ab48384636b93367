// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What yields tell, from their times; and what waits do beside a thread on their core that yields or computes.
#include "progress/core_share.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "config/config.hpp"
#include "progress/engine.hpp"

namespace starling::progress {
namespace {

constexpr std::int64_t kSlice = 3'000'000;

/// Yields that each begin 1 us after the one before, of a rank that may use one core.
class Yielder {
 public:
  /// job_part: the part of the core that the job's ranks have.
  explicit Yielder(double job_part = 0) : job_part_(job_part) {}
  void yield(std::int64_t took_ns) {
    now_ns += 1'000;
    share.see(now_ns);
    now_ns += took_ns;
    share.note_yield(now_ns - took_ns, now_ns);
    share.see(now_ns);
  }
  void wait(std::int64_t ns) { share.see(now_ns += ns); }
  /// How long the core counts as taken from now on, to a tenth of a millisecond.
  std::int64_t taken_for() {
    const std::int64_t began = now_ns;
    while (share.is_taken()) wait(100'000);
    return now_ns - began;
  }

  memory::JobHeader header;
  CoreShare share{header, [this] { return static_cast<std::int64_t>(job_part_ * static_cast<double>(now_ns)); }};
  std::int64_t now_ns = 2'000'000'000;

 private:
  double job_part_;
};

TEST(CoreShare, OneLateYieldAmongManyTellsNothing) {
  Yielder rank;
  for (int i = 0; i < 300; ++i) rank.yield(i % 100 == 50 ? kSlice : 500);
  EXPECT_FALSE(rank.share.is_taken());
}

TEST(CoreShare, LateYieldsTellOfSomebodyWhoComputes) {
  Yielder rank;
  int yields = 0;
  while (!rank.share.is_taken() && yields < 100) {
    rank.yield(kSlice);
    ++yields;
  }
  EXPECT_LE(yields, 4 + CoreShare::kLeastJudgedNs / kSlice + 1);
  EXPECT_FALSE(rank.share.is_shared()) << "who computes does not give the core back";
}

TEST(CoreShare, WhereTheJobsOwnRanksComputeNobodyElseDoes) {
  const auto is_ever_taken = [](double job_part) {
    Yielder rank(job_part);
    bool is_taken = false;
    for (int i = 0; i < 200; ++i) {
      rank.yield(kSlice);
      is_taken = is_taken || rank.share.is_taken();
    }
    return is_taken;
  };
  EXPECT_FALSE(is_ever_taken(1));
  EXPECT_FALSE(is_ever_taken(0.6));
  EXPECT_TRUE(is_ever_taken(0.4));
}

TEST(CoreShare, OfACrowdOfRanksNothingIsLearnt) {
  Yielder rank;
  rank.header.geometry.ranks = CoreShare::kCrowd;
  for (int i = 0; i < 200; ++i) rank.yield(kSlice);
  EXPECT_FALSE(rank.share.is_taken());
  rank.header.geometry.ranks = CoreShare::kCrowd - 1;
  for (int i = 0; i < 200; ++i) rank.yield(kSlice);
  EXPECT_TRUE(rank.share.is_taken());
}

TEST(CoreShare, WhatWasLongAgoIsNotJudged) {
  Yielder rank;
  for (int i = 0; i < 20; ++i) rank.yield(CoreShare::kMostJudgedNs + 1);
  EXPECT_FALSE(rank.share.is_taken());
}

TEST(CoreShare, WhatIsAskedInVainIsAskedLessOften) {
  Yielder rank;
  while (!rank.share.is_taken()) rank.yield(kSlice);
  std::int64_t before = rank.taken_for();
  EXPECT_NEAR(static_cast<double>(before), CoreShare::kFirstHold * kSlice, 200'000);
  for (int i = 0; i < 4; ++i) {
    rank.yield(kSlice);
    ASSERT_TRUE(rank.share.is_taken()) << "one more late yield is enough";
    const std::int64_t held = rank.taken_for();
    EXPECT_NEAR(static_cast<double>(held), 2.0 * static_cast<double>(before), 200'000);
    before = held;
  }
  for (int i = 0; i < 3; ++i) {
    rank.yield(kSlice);
    before = rank.taken_for();
  }
  EXPECT_LE(before, CoreShare::kLongestHold * kSlice + 200'000);
  rank.wait(1'000'000'000);
  while (!rank.share.is_taken()) rank.yield(kSlice);
  EXPECT_NEAR(static_cast<double>(rank.taken_for()), CoreShare::kFirstHold * kSlice, 200'000) << "it is new";
}

TEST(CoreShare, QuickYieldsEndIt) {
  Yielder rank;
  while (!rank.share.is_taken()) rank.yield(kSlice);
  rank.taken_for();
  for (int i = 0; i < 64; ++i) rank.yield(500);
  rank.yield(kSlice);
  EXPECT_FALSE(rank.share.is_taken());
}

/// A thread that keeps another busy on the first core of this process.
class Neighbour {
 public:
  enum class Does : std::uint8_t { kYields, kComputes };

  explicit Neighbour(Does does)
      : thread_([this, does] {
          pin();
          runs_ = true;
          while (!ends_)
            if (does == Does::kYields) sched_yield();
        }) {
    sched_getaffinity(0, sizeof(before_), &before_);
    pin();
    while (!runs_) sched_yield();
  }
  ~Neighbour() {
    ends_ = true;
    thread_.join();
    sched_setaffinity(0, sizeof(before_), &before_);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

 private:
  static void pin() {
    cpu_set_t all;
    cpu_set_t one;
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &all)) continue;
      CPU_SET(core, &one);
      break;
    }
    sched_setaffinity(0, sizeof(one), &one);
  }

  cpu_set_t before_{};
  std::atomic<bool> runs_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

TEST(CoreShare, YieldsThatMeetSomebodyWhoWaitsTellOfHim) {
  const Neighbour neighbour(Neighbour::Does::kYields);
  memory::JobHeader one_rank;
  one_rank.usable_cores = 1;
  one_rank.awake = 1;
  const auto none = [] { return std::int64_t{0}; };
  CoreShare share(one_rank, none);
  memory::JobHeader two_ranks;
  two_ranks.usable_cores = 1;
  two_ranks.awake = 2;
  CoreShare in_a_crowd(two_ranks, none);
  memory::JobHeader many_ranks;
  many_ranks.usable_cores = 1;
  many_ranks.geometry.ranks = CoreShare::kCrowd;
  CoreShare of_many(many_ranks, none);
  for (int i = 0; i < 100; ++i) {
    sched_yield();
    in_a_crowd.note_yield(1'000'000, 1'005'000);
    of_many.note_yield(1'000'000, 1'005'000);
    share.note_yield(1'000'000, 1'005'000);
  }
  EXPECT_TRUE(share.is_shared());
  EXPECT_FALSE(in_a_crowd.is_shared()) << "it may have been one of the job's own ranks";
  EXPECT_FALSE(of_many.is_shared()) << "it may have been one that has been woken, and counts as asleep";
  share.see(1'005'000 + CoreShare::kSharedForNs);
  EXPECT_FALSE(share.is_shared());
}

TEST(CoreShare, AnInterruptIsNobody) {
  Yielder rank;
  for (int i = 0; i < 1000; ++i) rank.yield(5'000);
  EXPECT_FALSE(rank.share.is_shared()) << "each took as long as a switch, and there was none";
}

/// The times of waits until their rank announces that it will sleep: it is the only one of its job, and has a
/// core by the job's count.
class Waits final : public Poller {
 public:
  explicit Waits(const config::Overrides& settings) {
    EXPECT_TRUE(config_.set_all(settings).ok());
    auto segment = memory::JobSegment::create({.ranks = 1});
    EXPECT_TRUE(segment.ok()) << segment.status().message();
    segment_ = std::move(segment).value();
    segment_->header().usable_cores = 1;
    engine_ = std::make_unique<Engine>(*segment_, LocalRank(0), config_);
    engine_->add(*this);
  }
  ~Waits() { engine_->remove(*this); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  bool poll() override {
    const bool sleeps = segment_->rank(LocalRank(0)).doorbell.sleeping.load() != 0;
    ends_ = ends_ || sleeps;
    return sleeps;
  }

  /// The median of fifty waits in us, after fifty to learn from.
  double usual_us() {
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
      ends_ = false;
      const auto began = std::chrono::steady_clock::now();
      engine_->wait([this] { return ends_; });
      times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count());
    }
    std::sort(times.begin() + 50, times.end());
    return times[75];
  }

 private:
  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<Engine> engine_;
  bool ends_ = false;
};

const config::Overrides kPatient{{"WAIT_SPIN_US", "100"}, {"WAIT_SLEEP_AFTER_US", "3000"}};

// Those that have their core for themselves: EngineWaits.
TEST(WaitsBesideOthers, SleepSoonWhereSomebodyElseWaitsOnTheCore) {
  const Neighbour neighbour(Neighbour::Does::kYields);
  EXPECT_LT(Waits(kPatient).usual_us(), 2'000);
}

TEST(WaitsBesideOthers, SleepInPlaceOfAYieldWhereSomebodyElseComputesOnTheCore) {
  const Neighbour neighbour(Neighbour::Does::kComputes);
  EXPECT_LT(Waits(kPatient).usual_us(), 1'000) << "a yield takes a slice of time";
}

}  // namespace
}  // namespace starling::progress
