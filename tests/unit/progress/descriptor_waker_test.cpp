// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/descriptor_waker.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "base/futex.hpp"

namespace starling::progress {
namespace {

/// Something that arrives, and an event that says so to a rank that is armed.
class Arrivals final : public transport::WakeSource {
 public:
  Arrivals() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Arrivals() { close(event_); }

  [[nodiscard]] int descriptor() const noexcept override { return event_; }
  bool arm() override {
    eventfd_t value = 0;
    eventfd_read(event_, &value);
    armed_ = true;
    return !present_;
  }
  void add() {
    present_ = true;
    if (armed_.exchange(false)) eventfd_write(event_, 1);
  }
  bool take() { return present_.exchange(false); }
  [[nodiscard]] bool present() const { return present_; }

 private:
  int event_;
  std::atomic<bool> present_{false};
  std::atomic<bool> armed_{false};
};

/// Sleeps as a rank does; false when nothing has woken it for a time that only a lost wake-up takes.
bool sleep_until_present(DescriptorWaker& waker, memory::Doorbell& bell, const Arrivals& arrivals) {
  constexpr std::int64_t kLostNs = 20'000'000'000;
  while (!arrivals.present()) {
    const std::uint32_t ticket = bell.ticket.load();
    if (!waker.arm() || arrivals.present()) continue;
    const auto start = std::chrono::steady_clock::now();
    futex_wait(bell.ticket, ticket, kLostNs);
    if (std::chrono::steady_clock::now() - start >= std::chrono::nanoseconds(kLostNs)) return false;
  }
  return true;
}

/// Those of this process.
int waker_threads() {
  int found = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    found += name == "starling-waker" ? 1 : 0;
  }
  return found;
}

struct DescriptorWakerTest : ::testing::Test {
  memory::Doorbell bell;
  Arrivals arrivals;
};

TEST_F(DescriptorWakerTest, StartsNoThreadWithoutASource) {
  DescriptorWaker waker(bell);
  EXPECT_TRUE(waker.arm());
  EXPECT_EQ(waker_threads(), 0);
  waker.add(arrivals);
  EXPECT_EQ(waker_threads(), 0);
  EXPECT_TRUE(waker.arm());
  EXPECT_EQ(waker_threads(), 1);
}

TEST_F(DescriptorWakerTest, RefusesTheSleepWhereSomethingHasComeBefore) {
  DescriptorWaker waker(bell);
  waker.add(arrivals);
  arrivals.add();
  EXPECT_FALSE(waker.arm());
  EXPECT_TRUE(arrivals.take());
  EXPECT_TRUE(waker.arm());
}

TEST_F(DescriptorWakerTest, LosesNoWakeUp) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  DescriptorWaker waker(bell);
  Arrivals other;
  waker.add(other);
  waker.add(arrivals);
  constexpr int kTimes = 5000;
  std::atomic<int> taken{0};
  std::thread sender([&] {
    for (int i = 0; i < kTimes; ++i) {
      while (taken != i) std::this_thread::yield();
      for (std::uint64_t pause = random() % 2000; pause != 0; --pause) cpu_relax();
      arrivals.add();
    }
  });
  bool lost = false;
  for (int i = 0; i < kTimes; ++i) {
    lost = lost || !sleep_until_present(waker, bell, arrivals);
    while (!arrivals.take()) std::this_thread::yield();
    taken = i + 1;
  }
  sender.join();
  EXPECT_FALSE(lost) << "seed " << seed;
}

TEST_F(DescriptorWakerTest, ASourceThatWasRemovedRingsNoMore) {
  DescriptorWaker waker(bell);
  Arrivals other;
  waker.add(arrivals);
  waker.add(other);
  ASSERT_TRUE(waker.arm());
  waker.remove(arrivals);
  const std::uint32_t ticket = bell.ticket;
  arrivals.add();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(bell.ticket, ticket);
  other.add();
  EXPECT_TRUE(sleep_until_present(waker, bell, other));
}

TEST_F(DescriptorWakerTest, BurnsNothingWhileTheRankIsAwake) {
  DescriptorWaker waker(bell);
  waker.add(arrivals);
  ASSERT_TRUE(waker.arm());
  arrivals.add();  // stays readable
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  EXPECT_LT((after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec, 100'000'000);
}

std::atomic<int> signals_handled{0};

TEST_F(DescriptorWakerTest, TakesNoSignal) {
  DescriptorWaker waker(bell);
  waker.add(arrivals);
  ASSERT_TRUE(waker.arm());
  sigset_t usr2;
  sigset_t before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  std::signal(SIGUSR2, [](int) { ++signals_handled; });
  kill(getpid(), SIGUSR2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(signals_handled, 0);  // no thread but this one could, and this one blocks it
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(signals_handled, 1);
  std::signal(SIGUSR2, SIG_DFL);
}

TEST_F(DescriptorWakerTest, EndsInAForkedChildWithoutHarmToItsParent) {
  auto waker = std::make_unique<DescriptorWaker>(bell);
  waker->add(arrivals);
  ASSERT_TRUE(waker->arm());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    waker->remove(arrivals);
    waker.reset();
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::uint32_t ticket = bell.ticket;
  arrivals.add();
  futex_wait(bell.ticket, ticket, 20'000'000'000);
  EXPECT_NE(bell.ticket, ticket);
}

}  // namespace
}  // namespace starling::progress
