// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress_thread.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
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

/// Something that comes over a network, of which a descriptor tells, and something that has nothing to do with one.
class FarRequests final : public Poller, public transport::WakeSource {
 public:
  FarRequests() : Poller(Serves::kFarRanks), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~FarRequests() { close(event_); }

  bool poll() override {
    ++polls;
    // What has been armed is void from the next arrival on that a poll takes, as with a transport.
    if (given.load() == done.load()) return false;
    armed_ = false;
    ++done;
    return true;
  }
  [[nodiscard]] bool awaits_neighbours() const override { return awaits.load(); }
  [[nodiscard]] int descriptor() const noexcept override { return event_; }
  bool arm() override {
    eventfd_t value = 0;
    eventfd_read(event_, &value);
    armed_ = true;
    return given.load() == done.load();
  }
  void give() {
    ++given;
    if (armed_.exchange(false)) eventfd_write(event_, 1);
  }

  std::atomic<int> given{0};
  std::atomic<int> done{0};
  std::atomic<std::uint64_t> polls{0};
  std::atomic<bool> awaits{false};

 private:
  int event_;
  std::atomic<bool> armed_{false};
};

/// A rank with a thread for far ranks only, whose program has one thread.
class RankWithFarRequests {
 public:
  RankWithFarRequests() : segment_(memory::JobSegment::create({.ranks = 1}).value()) {
    engine_ = std::make_unique<Engine>(*segment_, LocalRank(0), config_);
    engine_->set_locked();
    engine_->add(errands);
    engine_->add(requests);
    engine_->add_wake_source(requests);
    thread_ = std::make_unique<ProgressThread>(*engine_, locked(), ProgressThread::Duty::kFarRanks);
    EXPECT_TRUE(thread_->runs());
  }
  ~RankWithFarRequests() {
    thread_.reset();
    engine_->remove_wake_source(requests);
    engine_->remove(requests);
    engine_->remove(errands);
  }

  void enter() {
    ++engine_->card().calls;
    engine_->card().call = 1;
  }
  void leave() { engine_->card().call = 0; }
  bool poll_in_call() {
    enter();
    const bool moved = locked()([this] { return engine_->poll(); });
    leave();
    return moved;
  }
  [[nodiscard]] memory::Doorbell& bell() { return segment_->rank(LocalRank(0)).doorbell; }
  [[nodiscard]] bool done_within(milliseconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (requests.done.load() != requests.given.load()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }

  FarRequests requests;
  Errands errands;

 private:
  [[nodiscard]] ProgressThread::Locked locked() {
    return [this](const std::function<bool()>& body) {
      engine_->lock();
      const bool result = body();
      engine_->unlock();
      return result;
    };
  }

  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ProgressThread> thread_;
};

TEST(ProgressThreadForFarRanks, ServesThemAndNothingElseWhileTheRankComputes) {
  RankWithFarRequests rank;
  rank.errands.given = 1;
  for (int i = 0; i < 20; ++i) {
    rank.requests.give();
    EXPECT_TRUE(rank.done_within(milliseconds(2000)));
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_LT(rank.requests.polls.load(), 400U) << "it polls in vain";
  EXPECT_EQ(rank.errands.polls.load(), 0U);
}

TEST(ProgressThreadForFarRanks, IsNotRungForByTheNodesRanksButWhileItWaitsForThem) {
  RankWithFarRequests rank;
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(rank.bell().sleeping.load(), 0U);
  rank.requests.awaits = true;
  rank.requests.give();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (rank.bell().sleeping.load() == 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(rank.bell().sleeping.load(), 1U);
  const std::uint64_t before = rank.requests.polls.load();
  rank.requests.awaits = false;
  memory::ring(rank.bell(), true);
  while (rank.requests.polls.load() == before && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_GT(rank.requests.polls.load(), before);
}

TEST(ProgressThreadForFarRanks, MissesNothingAfterACallHasTakenWhatItWasArmedFor) {
  RankWithFarRequests rank;
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(217 * (i % 10)));
    ++rank.requests.given;  // it is told of nothing: the call finds it first
    rank.poll_in_call();
    rank.requests.give();
    EXPECT_TRUE(rank.done_within(milliseconds(10'000))) << i;
  }
}

TEST(ProgressThreadForFarRanks, LeavesARankAloneThatIsInACallAndTakesNoTimeMeanwhile) {
  RankWithFarRequests rank;
  rank.enter();
  std::this_thread::sleep_for(milliseconds(20));  // until it has seen that
  const std::uint64_t before = rank.requests.polls.load();
  rank.requests.give();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_LE(rank.requests.polls.load(), before + 2);
  rank.leave();
  EXPECT_TRUE(rank.done_within(milliseconds(2000)));
  timespec start{};
  timespec end{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  std::this_thread::sleep_for(milliseconds(300));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  EXPECT_LT((end.tv_sec - start.tv_sec) * 1'000'000'000 + end.tv_nsec - start.tv_nsec, 30'000'000);
}

TEST(ProgressThreadForFarRanks, EndsWhateverTheRankDoes) {
  for (int i = 0; i < 50; ++i) {
    RankWithFarRequests rank;
    if (i % 2 == 0) rank.enter();
    if (i % 3 == 0) rank.requests.awaits = true;
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
