// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbours: the ranks that share something in memory, and how they wait for each other and wake each other.
//
// A rank waits in the one wait loop, where it goes on serving others and may fall asleep. It counts itself in the
// lock's `waiting` first; whoever lets go of a lock with waiters rings everybody. The order of the two is safe for the
// same reason as that of a doorbell (docs/design/progress.md).
// Thread safety: the world's lock; waiting gives it up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/job_segment.hpp"
#include "progress/engine.hpp"
#include "rma/shared_lock.hpp"

namespace starling::rma {

class Neighbours {
 public:
  Neighbours(progress::Engine& progress, std::span<const std::int32_t> world_ranks);

  [[nodiscard]] progress::Engine& progress() const noexcept { return progress_; }

  void take_exclusive(SharedLock& lock) {
    if (!lock.try_exclusive()) [[unlikely]]
      wait_for_exclusive(lock);
  }
  void take_shared(SharedLock& lock) {
    if (!lock.try_shared()) [[unlikely]]
      wait_for_shared(lock);
  }
  void drop_exclusive(SharedLock& lock) noexcept {
    lock.drop_exclusive();
    wake_waiters(lock);
  }
  void drop_shared(SharedLock& lock) noexcept {
    lock.drop_shared();
    wake_waiters(lock);
  }

  /// Wakes one of the ranks, by its place among them. Call after the store that it may be waiting for.
  void ring(std::int32_t rank) noexcept { memory::ring(*bells_[static_cast<std::size_t>(rank)], sender_fences_); }

 private:
  void wake_waiters(SharedLock& lock) noexcept {
    if (sender_fences_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (lock.waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring_all();
  }
  void ring_all() noexcept;
  void wait_for_exclusive(SharedLock& lock);
  void wait_for_shared(SharedLock& lock);

  progress::Engine& progress_;
  bool sender_fences_;
  std::vector<memory::Doorbell*> bells_;
};

}  // namespace starling::rma
