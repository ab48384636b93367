// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Doorbell: how a rank sleeps until another process has a message for it.
//
// The sleeper adds one to sleeping, makes every sender's earlier stores visible (membarrier), looks for work once more
// and waits on ticket. A sender stores its message, then reads sleeping, which is nearly always zero and in its cache;
// only if a thread sleeps it adds to ticket and wakes. The store and the read need no fence between them, because the
// sleeper's membarrier runs one on every core; where the kernel refuses membarrier, senders fence (JobHeader).
// Thread safety: any thread of any process.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpu.hpp"

namespace starling::memory {

struct alignas(kCacheLine) Doorbell {
  std::atomic<std::uint32_t> sleeping{0};  ///< threads of the rank that sleep or are about to
  std::atomic<std::uint32_t> ticket{0};    ///< the futex word; grows with every wake
};
static_assert(sizeof(Doorbell) == kCacheLine);

/// Wakes every sleeper of the bell.
void wake(Doorbell& bell) noexcept;

/// Wakes the rank behind the bell if it sleeps. Call after the store that it may be waiting for.
inline void ring(Doorbell& bell, bool sender_fences) noexcept {
  if (sender_fences) std::atomic_thread_fence(std::memory_order_seq_cst);
  if (bell.sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake(bell);
}

/// Lets other processes' membarrier reach this process. False where the kernel refuses.
bool register_for_barriers() noexcept;

/// A full barrier on every core that runs a registered process: afterwards this thread sees every store that any of
/// them made before a later read of theirs. Falls back to a local fence where the kernel refuses.
void barrier_everywhere() noexcept;

}  // namespace starling::memory
