// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WindowPeers: the ranks that share something in memory, and how they wait for each other and wake each other.
//
// When one of them dies every wait ends, also one for a lock, for its holder may be dead. The next synchronisation of
// the window fails then, and nothing is promised of what its memory holds. A rank waits in the one wait loop, where it
// goes on serving others and may fall asleep. It counts itself in the lock's `waiting` first; a rank that releases a
// lock with waiters rings all ranks. The order of the two is safe for the same reason as that of a doorbell
// (docs/design/progress.md). Thread safety: the world's lock; waiting gives it up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "comm/communicator.hpp"
#include "memory/job_segment.hpp"
#include "progress/engine.hpp"
#include "rma/shared/shared_lock.hpp"

namespace starling::rma {

class WindowPeers {
 public:
  /// The ranks by their indices in the segment of this node; none: it is on another. comm: the communicator of the
  /// waits; they end when it is not fit for collective calls any more. Null: none.
  WindowPeers(progress::Engine& progress, memory::JobSegment& segment, std::span<const LocalRank> ranks,
              const comm::Communicator* comm = nullptr);

  /// Whether a peer has died or the communicator was revoked: no rank can be waited for.
  [[nodiscard]] bool broken() const noexcept { return comm_ != nullptr && !comm_->fit_for_collectives(); }
  /// Waits until done() or until the peers are broken. lacks(rank), a rank of the communicator: it is still waited for.
  template <typename Done, typename Lacks>
  void wait(Done&& done, Lacks&& lacks) {
    progress_.wait([&] { return broken() || done(); }, [&] { return describe(lacks); });
  }
  template <typename Done>
  void wait(Done&& done) {
    wait(done, [](std::int32_t /*rank*/) { return false; });
  }

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
    wake_waiters(lock.waiting);
  }
  void drop_shared(SharedLock& lock) noexcept {
    lock.drop_shared();
    wake_waiters(lock.waiting);
  }

  /// Wakes one of the ranks, which is on this node, by its index among them. Call after the store that it may be
  /// waiting for.
  void ring(std::int32_t rank) noexcept { memory::ring(*bells_[static_cast<std::size_t>(rank)], sender_fences_); }

  /// Wakes all ranks of the node if any waits for a lock. Call after it was released.
  void wake_waiters(const std::atomic<std::uint32_t>& waiting) noexcept {
    if (sender_fences_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring_all();
  }

 private:
  void ring_all() noexcept;
  template <typename Lacks>
  [[nodiscard]] observe::Wait describe(const Lacks& lacks) const {
    observe::Wait wait(observe::WaitKind::kWindow);
    for (std::int32_t rank = 0; comm_ != nullptr && rank < comm_->size(); ++rank) {
      if (lacks(rank)) wait.add(awaited_of(rank));
    }
    return wait;
  }
  [[nodiscard]] observe::Awaited awaited_of(std::int32_t rank) const {
    observe::Awaited awaited;
    awaited.peer = comm_->peer(rank);
    awaited.context_id = comm_->context_id();
    awaited.as = observe::AwaitedAs::kWindow;
    return awaited;
  }
  void wait_for_exclusive(SharedLock& lock);
  void wait_for_shared(SharedLock& lock);

  progress::Engine& progress_;
  const comm::Communicator* comm_;
  bool sender_fences_;
  std::vector<memory::Doorbell*> bells_;  ///< null for ranks on other nodes
};

}  // namespace starling::rma
