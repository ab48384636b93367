// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OwnedLock: a lock in shared memory that names its holder, so that the next rank can take it over from a dead one.
// A rank that finds it taken waits in the wait loop (target_service.cpp).
//
// Layout: a line of its own. Thread safety: any thread of any process. It belongs to a rank, not to a thread.
// Invariants: a dead rank's number never stands in it again once the lock is taken over, so a take-over has one winner.
// The winner mends what the lock guards.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpu.hpp"
#include "base/id.hpp"
#include "memory/job_segment.hpp"

namespace starling::rma {

struct alignas(kCacheLine) OwnedLock {
  enum class Taken : std::uint8_t { kNo, kFree, kFromDead };

  std::atomic<std::uint32_t> holder{0};   ///< local rank + 1; 0: free
  std::atomic<std::uint32_t> waiting{0};  ///< ranks that wait, or are about to

  // acquire and release: what the last holder did is visible to the next, as far as it came.
  Taken try_take(LocalRank rank, const memory::JobSegment& segment) noexcept {
    std::uint32_t now = holder.load(std::memory_order_relaxed);
    if (!is_free(now, segment)) return Taken::kNo;
    if (!holder.compare_exchange_strong(now, number_of(rank), std::memory_order_acquire, std::memory_order_relaxed)) {
      return Taken::kNo;
    }
    return now == 0 ? Taken::kFree : Taken::kFromDead;
  }
  void drop() noexcept { holder.store(0, std::memory_order_release); }

  [[nodiscard]] bool may_be_taken(const memory::JobSegment& segment) const noexcept {
    return is_free(holder.load(std::memory_order_relaxed), segment);
  }

 private:
  static std::uint32_t number_of(LocalRank rank) noexcept { return static_cast<std::uint32_t>(rank.value) + 1; }
  static bool is_free(std::uint32_t holder, const memory::JobSegment& segment) noexcept {
    if (holder == 0) return true;
    return segment.rank(LocalRank(holder - 1)).state.load(std::memory_order_acquire) == memory::RankState::kDead;
  }
};
static_assert(sizeof(OwnedLock) == kCacheLine);

}  // namespace starling::rma
