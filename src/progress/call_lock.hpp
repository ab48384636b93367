// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallLock: the lock of a rank whose threads call MPI at the same time. Free, it belongs to who comes first, so that a
// thread that makes call after call mostly finds it in its own cache. But a thread that polls can see that another one
// wants it, and hand it over: then it belongs to those who wanted it before, and to nobody who comes later, the giver
// included. It is also handed over to who has slept for it and found it taken once more, so that nobody starves.
//
// Thread safety: all but hand_over() and unlock(), which are the holder's. Between a release and the next lock()
// everything is visible. A waiter spins for some microseconds, then sleeps on the word.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpu.hpp"

namespace starling::progress {

class CallLock {
 public:
  CallLock() = default;
  CallLock(const CallLock&) = delete;
  CallLock& operator=(const CallLock&) = delete;

  void lock() noexcept {
    std::uint32_t free = kFree;
    if (word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire, std::memory_order_relaxed)) [[likely]]
      return;
    wait(free);
  }
  void unlock() noexcept {
    if (hands_over_ || losers_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return unlock_for_waiters();
    if (word_.exchange(kFree, std::memory_order_release) == kHeldAndAwaited) [[unlikely]]
      wake_one();
  }

  /// Whether another thread waits for it; a hint.
  [[nodiscard]] bool wanted() const noexcept { return waiters_.load(std::memory_order_relaxed) != 0; }
  /// The next unlock() gives it to a thread that waits for it then, if there is one.
  void hand_over() noexcept { hands_over_ = true; }
  /// Gives it to a thread that waits for it, if there is one, and takes it again after that.
  void let_in() noexcept {
    if (!wanted()) [[likely]]
      return;
    hand_over();
    unlock();
    lock();
  }

 private:
  // The word: one of these, or a number with kReserved: free, but only for those that have waited before it was.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kHeldAndAwaited = 2;  ///< somebody may sleep on the word
  static constexpr std::uint32_t kReserved = 4;        ///< this bit, and which reservation it is above it

  /// found: what the word was.
  void wait(std::uint32_t found) noexcept;
  void unlock_for_waiters() noexcept;
  void wake_one() noexcept;

  alignas(kCacheLine) std::atomic<std::uint32_t> word_{kFree};
  std::atomic<std::uint32_t> waiters_{0};
  std::atomic<std::uint32_t> losers_{0};  ///< of them: have slept, and found it taken when they woke
  std::uint32_t reservations_ = 0;        ///< the holder's, as the next
  bool hands_over_ = false;
};

}  // namespace starling::progress
