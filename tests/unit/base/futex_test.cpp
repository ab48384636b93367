// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/futex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "base/cpu.hpp"

namespace starling {
namespace {

static_assert(kCacheLine == 64, "the layouts in shared memory are built on this");

TEST(Futex, ReturnsAtOnceWhenTheWordHasChangedAlready) {
  std::atomic<std::uint32_t> word{1};
  const std::int64_t begin = now_ns();
  futex_wait(word, 0, 10'000 * kMillisecond);
  EXPECT_LT(now_ns() - begin, 5'000 * kMillisecond);
}

TEST(Futex, GivesUpAfterItsTimeout) {
  std::atomic<std::uint32_t> word{0};
  const std::int64_t begin = now_ns();
  // A signal may end one wait early, never all of them.
  while (now_ns() - begin < 20 * kMillisecond) futex_wait(word, 0, 20 * kMillisecond);
  EXPECT_EQ(word.load(), 0U);
}

TEST(Futex, WakesASleeperAndCountsIt) {
  std::atomic<std::uint32_t> word{0};
  std::thread sleeper([&] {
    while (word.load() == 0) futex_wait(word, 0, -1);
  });
  // The wake counts sleepers in the kernel: try until this one is there.
  while (futex_wake(word, 1) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  word.store(1);
  futex_wake(word, 1);
  sleeper.join();
  EXPECT_EQ(futex_wake(word, 1), 0);
}

TEST(Clock, NeverGoesBack) {
  std::int64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace starling
