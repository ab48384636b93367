// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedLock: a reader-writer lock in shared memory. A rank that finds it taken waits in the wait loop
// (window_peers.hpp).
//
// Layout: a line of its own. Thread safety: any thread of any process. It belongs to a rank, not to a thread: another
// thread of the rank may release it.
// Invariants: holders is kExclusive, or how many share the lock. Waiters are not served in order: a rank that shares
// the lock may wait for another that wants to share it too, so sharing never waits for a rank that wants it alone. All
// orders that C++ permits are tried in tests/weak_memory/window_locks_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpu.hpp"

namespace starling::rma {

enum class LockKind : std::uint8_t { kShared, kExclusive };

struct alignas(kCacheLine) SharedLock {
  static constexpr std::uint32_t kExclusive = 1U << 31;

  std::atomic<std::uint32_t> holders{0};
  std::atomic<std::uint32_t> waiting{0};  ///< ranks that wait, or are about to

  // acquire and release: what the last holder did is visible to the next.
  bool try_exclusive() noexcept {
    std::uint32_t nobody = 0;
    return holders.compare_exchange_strong(nobody, kExclusive, std::memory_order_acquire, std::memory_order_relaxed);
  }
  bool try_shared() noexcept {
    std::uint32_t now = holders.load(std::memory_order_relaxed);
    while (now < kExclusive) {
      if (holders.compare_exchange_weak(now, now + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  void drop_exclusive() noexcept { holders.store(0, std::memory_order_release); }
  void drop_shared() noexcept { holders.fetch_sub(1, std::memory_order_release); }
};
static_assert(sizeof(SharedLock) == kCacheLine);

}  // namespace starling::rma
