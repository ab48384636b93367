// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/call_lock.hpp"

#include <limits>

#include "base/futex.hpp"

namespace starling::progress {
namespace {

/// Looks before a waiter sleeps: some microseconds, as long as a call takes that moves a message.
constexpr int kLooks = 100;

}  // namespace

void CallLock::wait(std::uint32_t found) noexcept {
  constexpr auto kAcquire = std::memory_order_acquire;
  constexpr auto kRelaxed = std::memory_order_relaxed;
  waiters_.fetch_add(1, kRelaxed);
  // One that comes while the lock is reserved waits until it is taken.
  std::uint32_t not_mine = (found & kReserved) != 0 ? found : kHeld;
  const auto may_take = [&](std::uint32_t word) {
    if (word != not_mine) not_mine = kHeld;
    return word == kFree || ((word & kReserved) != 0 && word != not_mine);
  };
  bool has_it = false;
  for (int i = 0; i < kLooks && !has_it; ++i) {
    std::uint32_t word = word_.load(kRelaxed);
    // As awaited: one that came too late for a reservation may sleep without having said so.
    has_it = may_take(word) && word_.compare_exchange_strong(word, kHeldAndAwaited, kAcquire, kRelaxed);
    if (!has_it) cpu_relax();
  }
  bool is_loser = false;
  bool has_slept = false;
  bool passed_on = false;
  while (!has_it) {
    std::uint32_t word = word_.load(kRelaxed);
    if (may_take(word)) {
      has_it = word_.compare_exchange_strong(word, kHeldAndAwaited, kAcquire, kRelaxed);
      continue;
    }
    if (word == kHeld && !word_.compare_exchange_strong(word, kHeldAndAwaited, kRelaxed, kRelaxed)) continue;
    if (has_slept && !is_loser) {
      is_loser = true;
      losers_.fetch_add(1, kRelaxed);
    }
    // Woken though it may not take the lock: somebody who may has missed that wake-up.
    if (has_slept && word == not_mine && word != kHeld && !passed_on) {
      passed_on = true;
      futex_wake(word_, std::numeric_limits<int>::max());
    }
    futex_wait(word_, word == kHeld ? kHeldAndAwaited : word, -1);
    has_slept = true;
  }
  if (is_loser) losers_.fetch_sub(1, kRelaxed);
  waiters_.fetch_sub(1, kRelaxed);
}

void CallLock::unlock_for_waiters() noexcept {
  hands_over_ = false;
  // Nobody may be there, or all may be such as come too late for a reservation: it must be one that somebody takes.
  std::uint32_t next = kFree;
  if (waiters_.load(std::memory_order_relaxed) != 0) next = kReserved + 2 * kReserved * reservations_++;
  if (word_.exchange(next, std::memory_order_release) == kHeldAndAwaited || next != kFree) wake_one();
}

void CallLock::wake_one() noexcept { futex_wake(word_, 1); }

}  // namespace starling::progress
