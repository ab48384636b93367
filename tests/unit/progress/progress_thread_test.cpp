// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace starling::progress {
namespace {

using std::chrono::milliseconds;

/// Has something as often as it is given something.
class Errands final : public Poller {
 public:
  bool poll() override {
    ++polls;
    if (given.load() == done.load()) return false;
    ++done;
    return true;
  }
  std::atomic<int> given{0};
  std::atomic<int> done{0};
  std::atomic<std::uint64_t> polls{0};
};

/// A rank with such a thread, whose calls are played on its card.
class Rank {
 public:
  Rank() : segment_(memory::JobSegment::create({.ranks = 1}).value()) {
    engine_ = std::make_unique<Engine>(*segment_, LocalRank(0), config_);
    engine_->set_threaded();
    engine_->add(errands);
    thread_ = std::make_unique<ProgressThread>(*engine_, [this](const std::function<bool()>& body) {
      engine_->lock();
      const bool result = body();
      engine_->unlock();
      return result;
    });
  }
  ~Rank() {
    thread_.reset();
    engine_->remove(errands);
  }

  void enter() {
    ++engine_->card().calls;
    engine_->card().call = 1;
  }
  void leave() { engine_->card().call = 0; }
  /// As a sender does.
  void give() {
    ++errands.given;
    memory::ring(segment_->rank(LocalRank(0)).doorbell, true);
  }
  [[nodiscard]] bool done_within(milliseconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (errands.done.load() != errands.given.load()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }

  Errands errands;

 private:
  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ProgressThread> thread_;
};

TEST(ProgressThread, MovesWhatComesWhileTheRankComputesAndSleepsBetween) {
  Rank rank;
  for (int i = 0; i < 20; ++i) {
    rank.give();
    EXPECT_TRUE(rank.done_within(milliseconds(2000)));
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_LT(rank.errands.polls.load(), 400U) << "it polls in vain";
}

TEST(ProgressThread, LeavesARankAloneThatIsInACall) {
  Rank rank;
  rank.enter();
  std::this_thread::sleep_for(milliseconds(20));  // until it has seen that
  const std::uint64_t before = rank.errands.polls.load();
  rank.give();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_LE(rank.errands.polls.load(), before + 2);
  rank.leave();
  EXPECT_TRUE(rank.done_within(milliseconds(2000)));
}

TEST(ProgressThread, EndsWhateverTheRankDoes) {
  for (int i = 0; i < 50; ++i) {
    Rank rank;
    if (i % 2 == 0) rank.enter();
    std::this_thread::sleep_for(std::chrono::microseconds(37 * i));
  }
}

TEST(ProgressThread, IsThereWhereItIsWanted) {
  config::Store config;
  EXPECT_FALSE(wants_progress_thread(config));
  ASSERT_TRUE(config.set("PROGRESS_THREAD", "1").ok());
  EXPECT_TRUE(wants_progress_thread(config));
}

}  // namespace
}  // namespace starling::progress
