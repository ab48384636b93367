// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Looks through an engine. How often it gives the core away stands on its rank's card.
#include "progress/engine.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "support/sanitized.hpp"
#include "support/switches.hpp"

namespace starling::progress {
namespace {

/// Two ranks that are awake on `cores` cores; the first one looks.
class Job {
 public:
  Job(std::uint32_t cores, const std::string& wait, std::int64_t spin_us = 1'000'000'000,
      const config::Overrides& more = {}) {
    EXPECT_TRUE(config_.set("WAIT", wait).ok());
    EXPECT_TRUE(config_.set("WAIT_SPIN_US", std::to_string(spin_us)).ok());
    EXPECT_TRUE(config_.set_all(more).ok());
    auto segment = memory::JobSegment::create({.ranks = 2});
    EXPECT_TRUE(segment.ok()) << segment.status().message();
    segment_ = std::move(segment).value();
    segment_->header().usable_cores = cores;
    looker_ = std::make_unique<Engine>(*segment_, LocalRank(0), config_);
    other_ = std::make_unique<Engine>(*segment_, LocalRank(1), config_);
  }

  void look(int times) {
    for (int i = 0; i < times; ++i) looker_->look(looks_, 1, [](bool /*moved*/) { return false; });
  }
  [[nodiscard]] std::uint64_t yields() { return looker_->card().heartbeat.load(); }
  Engine& looker() { return *looker_; }
  Engine& other() { return *other_; }

 private:
  config::Store config_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<Engine> looker_;
  std::unique_ptr<Engine> other_;
  Looks looks_;
};

/// Finds something in the round that the engine makes after it has announced that its rank will sleep.
class AtTheLastLook final : public Poller {
 public:
  explicit AtTheLastLook(memory::Doorbell& bell) : bell_(bell) {}
  bool poll() override {
    const bool is_last = !found && bell_.sleeping.load() != 0;
    found = found || is_last;
    rounds_behind += found && !is_last ? 1 : 0;
    return is_last;
  }

  bool found = false;
  int rounds_behind = 0;

 private:
  memory::Doorbell& bell_;
};

TEST(EngineWaits, TellOfAMoveAtTheLastLookBeforeASleep) {
  Job job(2, "sleep");
  Engine& engine = job.looker();
  AtTheLastLook poller(engine.segment().rank(engine.local_rank()).doorbell);
  engine.add(poller);
  const std::uint64_t before = engine.card().moves;
  engine.wait([&] { return poller.rounds_behind > 0; });
  EXPECT_EQ(engine.card().moves, before + 1) << "what the card says of the wait would hold no longer";
  engine.remove(poller);
}

/// Milliseconds of a wait until its rank announces that it will sleep.
double ms_awake(Job& job) {
  Engine& engine = job.looker();
  AtTheLastLook poller(engine.segment().rank(engine.local_rank()).doorbell);
  engine.add(poller);
  const auto begin = std::chrono::steady_clock::now();
  engine.wait([&] { return poller.found; });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  engine.remove(poller);
  return took.count();
}

/// Milliseconds of a wait that had its core for itself, until its rank announces that it will sleep.
double ms_awake_alone(std::uint32_t cores, const config::Overrides& settings) {
  return undisturbed([&] {
    Job job(cores, "auto", 0, settings);
    return ms_awake(job);
  });
}

TEST(EngineWaits, SleepAfterTheTimeThatIsSetWhereEachRankHasACore) {
  const double took = ms_awake_alone(2, {{"WAIT_SLEEP_AFTER_US", "2000"}});
  if (took < 0) GTEST_SKIP() << "others want the core all the time";
  EXPECT_GE(took, 2);
}

TEST(EngineWaits, SleepAfterAnotherTimeWhereMoreRanksAreAwakeThanCores) {
  const double took = ms_awake_alone(1, {{"WAIT_OVERSUBSCRIBED_SLEEP_AFTER_US", "2000"}});
  if (took < 0) GTEST_SKIP() << "others want the core all the time";
  EXPECT_GE(took, 2);
}

/// How often the bell of one sleeping rank rings when the other, which sleeps too, is woken.
std::uint32_t wakes_with_the_other(const config::Overrides& settings) {
  Job job(2, "sleep", 1'000'000'000, settings);
  memory::Doorbell& bell = job.looker().segment().rank(LocalRank(0)).doorbell;
  memory::Doorbell& other_bell = job.looker().segment().rank(LocalRank(1)).doorbell;
  std::atomic<bool> ended = false;
  std::atomic<bool> other_ended = false;
  std::thread sleeper([&] { job.looker().wait([&] { return ended.load(); }); });
  std::thread other([&] { job.other().wait([&] { return other_ended.load(); }); });
  while (bell.sleeping.load() == 0 || other_bell.sleeping.load() == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until they are in the kernel
  const std::uint32_t before = bell.ticket.load();
  other_ended = true;
  memory::wake(other_bell);
  other.join();
  const std::uint32_t wakes = bell.ticket.load() - before;
  ended = true;
  memory::wake(bell);
  sleeper.join();
  return wakes;
}

TEST(EngineWaits, WakeTheOthersOfTheNodeWhereThatIsSet) {
  EXPECT_EQ(wakes_with_the_other({}), 0U);
  EXPECT_GE(wakes_with_the_other({{"WAIT_COSCHEDULE", "1"}}), 1U);
}

/// Under a sanitizer what lies between two looks takes as long as work does, so that a row is none.
class EngineLooksInTime : public testing::Test {
 protected:
  void SetUp() override {
    if (kUnderSanitizer) GTEST_SKIP() << "a sanitizer takes too long between two looks";
  }
};

TEST_F(EngineLooksInTime, YieldAfterAsManyPollsAsAreSetWhereMoreRanksAreAwakeThanCores) {
  const auto yields_of_many_looks = [] {
    Job seldom(1, "auto", 0, {{"WAIT_OVERSUBSCRIBED_SPINS", "1000"}});
    seldom.look(20'000);
    return static_cast<double>(seldom.yields());
  };
  // 20 are due. A core that the host of a virtual machine took adds some, for a row begins anew, and no switch shows
  // it.
  double yields = undisturbed(yields_of_many_looks);
  for (int i = 0; i < 10 && yields > 25; ++i) yields = undisturbed(yields_of_many_looks);
  if (yields < 0) GTEST_SKIP() << "others want the core all the time";
  EXPECT_GE(yields, 5);
  EXPECT_LE(yields, 25);
}

TEST_F(EngineLooksInTime, YieldWhenMoreRanksAreAwakeThanCores) {
  Job job(1, "auto");
  job.look(20'000);
  EXPECT_GE(job.yields(), 500);
}

constexpr int kLooksOfRow = 400;

/// The most yields of some rows, until one has more than `enough`: where others take the core a row ends, and the next
/// one begins anew.
double most_yields(double enough, const std::function<void(Engine&)>& prepare) {
  double most = 0;
  for (int i = 0; i < 100 && most <= enough; ++i) {
    Job job(1, "auto");
    prepare(job.looker());
    job.look(kLooksOfRow);
    most = std::max(most, static_cast<double>(job.yields()));
  }
  return most;
}

TEST_F(EngineLooksInTime, YieldAfterTwoPollsWhereNothingElseIsSet) {
  constexpr double kOfFour = kLooksOfRow / 4 + 10;
  constexpr double kOfTwo = kLooksOfRow / 2 + 10;
  const double most = most_yields(kOfFour, [](Engine&) {});
  EXPECT_GT(most, kOfFour);
  EXPECT_LE(most, kOfTwo);
}

TEST_F(EngineLooksInTime, YieldAfterFourPollsWhereANetworkIsPolled) {
  class QuietNetwork final : public transport::WakeSource {
   public:
    QuietNetwork() : descriptor_(eventfd(0, EFD_CLOEXEC)) {}
    ~QuietNetwork() { close(descriptor_); }
    [[nodiscard]] int descriptor() const noexcept override { return descriptor_; }
    bool arm() override { return true; }

   private:
    int descriptor_;
  };
  constexpr double kOfEight = kLooksOfRow / 8 + 10;
  constexpr double kOfFour = kLooksOfRow / 4 + 10;
  QuietNetwork network;
  const double most = most_yields(kOfEight, [&](Engine& engine) { engine.add_wake_source(network); });
  EXPECT_GT(most, kOfEight);
  EXPECT_LE(most, kOfFour);
}

TEST_F(EngineLooksInTime, KeepTheCoreWhereEachRankHasOne) {
  Job job(2, "auto");
  job.look(20'000);
  EXPECT_EQ(job.yields(), 0);
}

TEST_F(EngineLooksInTime, YieldInTheEndWhereEachRankHasACore) {
  Job job(2, "auto", 0);
  job.look(20'000);
  EXPECT_GE(job.yields(), 20);
}

TEST_F(EngineLooksInTime, YieldByTheModeWhateverTheCores) {
  for (const std::uint32_t cores : {1, 64}) {
    for (const char* wait : {"yield", "sleep"}) {
      Job job(cores, wait);
      job.look(2'000);
      EXPECT_GE(job.yields(), 100) << wait << ", cores: " << cores;
    }
    Job job(cores, "spin");
    job.look(20'000);
    EXPECT_EQ(job.yields(), 0);
  }
}

/// Something that another thread of the rank needs moves on every seventh look.
TEST(EngineLooks, KeepTheCoreWhileAnythingMoves) {
  class Mover final : public Poller {
   public:
    bool poll() override { return ++polls_ % 7 == 0; }

   private:
    int polls_ = 0;
  } mover;
  Job job(1, "yield");
  job.looker().add(mover);
  job.look(20'000);
  EXPECT_EQ(job.yields(), 0);
  job.looker().remove(mover);
}

TEST(EngineLooks, GiveUpTheLockWithTheCore) {
  Job job(1, "auto");
  job.looker().set_threaded();
  std::atomic<bool> entered = false;
  job.looker().lock();
  std::thread other([&] {
    job.looker().lock();
    entered = true;
    job.looker().unlock();
  });
  while (!entered) job.look(1'000);
  job.looker().unlock();
  other.join();
}

/// The share of the time for which a thread that looks for 50 ms in a row has a core.
double share_of_a_core(Job& job) {
  const auto cpu_ms = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_before = cpu_ms();
  std::chrono::duration<double, std::milli> passed{};
  while (passed.count() < 50) {
    job.look(100);  // what the loop does itself is no work then, under a sanitizer neither
    passed = std::chrono::steady_clock::now() - begin;
  }
  return (cpu_ms() - cpu_before) / passed.count();
}

TEST_F(EngineLooksInTime, SleepInALongRowWhereMoreRanksAreAwakeThanCores) {
  Job job(1, "auto");
  EXPECT_LT(share_of_a_core(job), 0.6);
  EXPECT_EQ(job.looker().segment().header().awake.load(), 2U) << "it is awake again";
}

TEST(EngineLooks, WakeWithTheBellInALongRow) {
  Job job(1, "auto");
  share_of_a_core(job);  // sleeps for up to a millisecond now
  memory::Doorbell& bell = job.looker().segment().rank(LocalRank(0)).doorbell;
  std::atomic<bool> ended = false;
  std::thread ringer([&] {
    while (!ended) memory::ring(bell, true);
  });
  const std::uint32_t before = bell.ticket.load();
  for (int i = 0; i < 1'000'000 && bell.ticket.load() < before + 20; ++i) job.look(1);
  ended = true;
  ringer.join();
  EXPECT_GE(bell.ticket.load(), before + 20) << "nobody slept for the ringer to wake";
}

/// Each of several threads of a rank counts, and waits for the count of the next one; another one looks all the time.
void count_in_turns(Job& job, int times) {
  constexpr int kThreads = 4;
  Engine& engine = job.looker();
  engine.set_threaded();
  int counts[kThreads] = {};
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int own = 0; own < kThreads; ++own) {
    threads.emplace_back([&, own] {
      const int& next = counts[(own + 1) % kThreads];
      for (int i = 1; i <= times; ++i) {
        engine.lock();
        counts[own] = i;
        engine.wake_own_threads();
        engine.wait([&] { return next >= i; });
        engine.unlock();
      }
      --running;
    });
  }
  while (running > 0) {
    engine.lock();
    job.look(1);
    engine.unlock();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine.segment().header().awake.load(), 2U) << "each rank counts once";
}

TEST(EngineThreads, ThatSleepAreOneRankAsleep) {
  Job job(2, "sleep");
  Engine& engine = job.looker();
  engine.set_threaded();
  memory::Doorbell& bell = engine.segment().rank(LocalRank(0)).doorbell;
  bool ended = false;
  std::vector<std::thread> threads;
  for (int sleeper = 0; sleeper < 2; ++sleeper) {
    threads.emplace_back([&] {
      engine.lock();
      engine.wait([&] { return ended; });
      engine.unlock();
    });
    // The second may follow the first, and then sleeps without the bell.
    while (bell.sleeping.load() == 0) std::this_thread::yield();
  }
  const std::atomic<std::uint32_t>& awake = engine.segment().header().awake;
  while (awake.load() > 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the second sleeps as well
  EXPECT_EQ(awake.load(), 1U) << "the other rank";
  engine.lock();
  ended = true;
  engine.wake_own_threads();
  engine.unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(awake.load(), 2U);
}

/// Messages of which each is for one thread: those for the caller come while it waits, at every third round.
class TwoThreadsMessages final : public Poller {
 public:
  explicit TwoThreadsMessages(memory::Doorbell& bell) : bell_(bell) {}
  bool poll() override {
    if (is_for_listener.load()) return !std::exchange(has_listeners, true);
    // Who is about to sleep finds it at its last look, as one of which a sender has rung.
    if (!caller_waits || (++rounds_ % 3 != 0 && bell_.sleeping.load() == 0)) return false;
    ++callers;
    return true;
  }

  std::atomic<bool> is_for_listener = false;
  bool has_listeners = false;
  bool caller_waits = false;
  int callers = 0;

 private:
  memory::Doorbell& bell_;
  int rounds_ = 0;
};

/// One thread waits all the time while another one has many short waits, for two seconds at most, and then stays away.
/// For which share of the time the first one had a core; it hears of its own message after that.
double share_of_listener(Job& job, int waits) {
  constexpr std::int64_t kMostNs = 2'000'000'000;
  Engine& engine = job.looker();
  engine.set_threaded();
  TwoThreadsMessages messages(engine.segment().rank(LocalRank(0)).doorbell);
  engine.add(messages);
  std::atomic<bool> begins = false;
  std::int64_t cpu_ns = 0;
  std::future<void> listener = std::async(std::launch::async, [&] {
    engine.lock();
    begins = true;
    engine.wait([&] { return messages.has_listeners; });
    engine.unlock();
    cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  });
  while (!begins) std::this_thread::yield();
  const std::int64_t began_ns = now_ns();
  for (int i = 0; i < waits && now_ns() - began_ns < kMostNs; ++i) {
    engine.lock();
    const int before = messages.callers;
    messages.caller_waits = true;
    engine.wait([&] { return messages.callers > before; });
    messages.caller_waits = false;
    engine.unlock();
  }
  const std::int64_t took_ns = now_ns() - began_ns;
  messages.is_for_listener = true;
  memory::ring(engine.segment().rank(LocalRank(0)).doorbell, true);
  const bool has_heard = listener.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  EXPECT_TRUE(has_heard) << "nobody polls, and the thread that waits sleeps";
  if (!has_heard) {
    engine.lock();
    messages.has_listeners = true;
    engine.wake_own_threads();
    engine.unlock();
  }
  listener.wait();
  engine.remove(messages);
  return static_cast<double>(cpu_ns) / static_cast<double>(took_ns);
}

TEST(EngineThreads, LeaveAThreadAloneThatWaitsWhileAnotherOneHasManyShortWaits) {
  for (const std::uint32_t cores : {1, 8}) {
    // Where other programs keep the busy thread from its core the listener leads by right.
    constexpr int kTries = 5;
    constexpr long kMostSwitches = 100;  // in 200,000 waits
    double share = 1;
    int disturbed = 0;
    for (int i = 0; i < kTries && share >= 0.5; ++i) {
      Job job(cores, "auto", 50, {{"WAIT_SLEEP_AFTER_US", "100"}});
      const long before = own_switches();
      share = share_of_listener(job, kUnderSanitizer ? 20'000 : 200'000);
      if (kUnderSanitizer) break;
      disturbed += own_switches() - before > kMostSwitches ? 1 : 0;
    }
    const bool has_cores = cores == 1 || disturbed < kTries;
    EXPECT_TRUE(kUnderSanitizer || share < 0.5 || !has_cores) << share << " with " << cores << " cores";
  }
}

/// Messages that come only when somebody makes rounds, each for one of the threads that wait, by the dice.
class MessagesOfRounds final : public Poller {
 public:
  static constexpr int kThreads = 5;

  explicit MessagesOfRounds(unsigned seed) : dice_(seed) {}
  bool poll() override {
    const auto thread = dice_() % kThreads;
    if (dice_() % 100 != 0 || !waits[thread]) return false;
    waits[thread] = false;
    return true;
  }

  bool waits[kThreads] = {};

 private:
  std::minstd_rand dice_;
};

/// Waits until the threads have ended; without an end the process ends, for they cannot be ended.
void end_all(Engine& engine, const std::vector<std::future<void>>& threads, unsigned seed) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const std::future<void>& thread : threads) {
    while (thread.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      memory::wake(engine.segment().rank(LocalRank(0)).doorbell);  // whoever sleeps until a message comes
      if (std::chrono::steady_clock::now() < deadline) continue;
      std::fprintf(stderr, "seed or round %u: threads wait, and nobody makes rounds\n", seed);
      std::abort();
    }
  }
}

/// Threads that wait for a message again and again, and do something else for a while now and then.
void wait_by_the_dice(Job& job, unsigned seed) {
  constexpr int kWaits = 6;  // few: who has ended makes no more rounds
  Engine& engine = job.looker();
  engine.set_threaded();
  MessagesOfRounds messages(seed);
  engine.add(messages);
  std::vector<std::future<void>> threads;
  for (unsigned own = 0; own < MessagesOfRounds::kThreads; ++own) {
    threads.push_back(std::async(std::launch::async, [&, own] {
      std::minstd_rand dice(seed + own + 1);
      for (int i = 0; i < kWaits; ++i) {
        engine.lock();
        messages.waits[own] = true;
        engine.wait([&] { return !messages.waits[own]; });
        engine.unlock();
        const auto chance = dice() % 40;
        if (chance == 0) std::this_thread::sleep_for(std::chrono::microseconds(dice() % 1'000));
        for (auto rounds = dice() % 200; rounds != 0; --rounds) {  // calls that do not wait
          engine.lock();
          engine.poll();
          engine.unlock();
        }
      }
    }));
  }
  end_all(engine, threads, seed);
  engine.remove(messages);
}

TEST(EngineThreads, AlwaysHaveOneThatMakesRounds) {
  const auto first = static_cast<unsigned>(now_ns());
  std::fprintf(stderr, "seed %u\n", first);
  for (unsigned seed = first; seed < first + (kUnderSanitizer ? 30 : 200); ++seed) {
    for (const std::uint32_t cores : {1, 8}) {
      Job job(cores, "auto", 5, {{"WAIT_SLEEP_AFTER_US", "50"}});
      wait_by_the_dice(job, seed);
    }
  }
}

/// Messages that come when somebody makes rounds: for all threads but the first at once when all of them wait, for each
/// of those again, and when they have ended for the first.
class MessagesForOthersFirst final : public Poller {
 public:
  static constexpr std::size_t kThreads = 5;
  static constexpr std::size_t kFirst = 0;

  bool poll() override {
    if (ended == kThreads - 1) return std::exchange(waits[kFirst], false);
    if (!has_begun) {
      if (std::ranges::count(waits, true) < static_cast<std::ptrdiff_t>(kThreads)) return false;
      has_begun = true;
      std::fill(waits + 1, std::end(waits), false);
      return true;
    }
    bool* const next = std::find(waits + 1, std::end(waits), true);
    return next != std::end(waits) && std::exchange(*next, false);
  }
  void receive(Engine& engine, std::size_t thread) {
    waits[thread] = true;
    engine.wait([&] { return !waits[thread]; });
  }

  bool waits[kThreads] = {};
  bool has_begun = false;
  std::size_t ended = 0;
};

/// The first leads, tells all others at once, and gives its core away. They come back, lead, and end before it has the
/// lock again.
TEST(EngineThreads, LeadAgainAfterOthersHaveComeAndGone) {
  for (unsigned round = 0; round < (kUnderSanitizer ? 100 : 1000); ++round) {
    Job job(1, "auto", 5, {{"WAIT_SLEEP_AFTER_US", "50"}});
    Engine& engine = job.looker();
    engine.set_threaded();
    MessagesForOthersFirst messages;
    engine.add(messages);
    std::atomic<bool> leads = false;
    std::vector<std::future<void>> threads;
    threads.push_back(std::async(std::launch::async, [&] {
      engine.lock();
      leads = true;
      messages.receive(engine, MessagesForOthersFirst::kFirst);
      engine.unlock();
    }));
    while (!leads) std::this_thread::yield();
    for (std::size_t own = 1; own < MessagesForOthersFirst::kThreads; ++own) {
      threads.push_back(std::async(std::launch::async, [&, own] {
        engine.lock();
        messages.receive(engine, own);
        engine.unlock();
        engine.lock();
        messages.receive(engine, own);
        ++messages.ended;
        engine.unlock();
      }));
    }
    end_all(engine, threads, round);
    engine.remove(messages);
  }
}

TEST(EngineThreads, GoOnWhenWhatTheyWaitForHolds) {
  for (const char* wait : {"auto", "sleep", "yield", "spin"}) {
    for (const std::uint32_t cores : {1, 8}) {
      Job job(cores, wait, 50);
      count_in_turns(job, wait == std::string("spin") ? 20 : 300);
    }
  }
}

}  // namespace
}  // namespace starling::progress
