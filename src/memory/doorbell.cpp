// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/doorbell.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "base/futex.hpp"

namespace starling::memory {

// All orders that C++ permits are tried in tests/weak_memory/sleep_test.cpp.

void wake(Doorbell& bell) noexcept {
  bell.ticket.fetch_add(1, std::memory_order_release);
  futex_wake(bell.ticket, INT_MAX);
}

bool register_for_barriers() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void barrier_everywhere() noexcept {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace starling::memory
