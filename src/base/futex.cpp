// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace starling {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  timespec timeout{};
  if (timeout_ns >= 0) {
    timeout.tv_sec = timeout_ns / 1'000'000'000;
    timeout.tv_nsec = timeout_ns % 1'000'000'000;
  }
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, timeout_ns >= 0 ? &timeout : nullptr, nullptr, 0);
}

void futex_wait_any_for(std::span<const FutexWait> waits, std::int64_t timeout_ns) noexcept {
  // Of linux/futex.h, which older headers lack.
  struct Waiter {
    std::uint64_t value;
    std::uint64_t address;
    std::uint32_t flags;
    std::uint32_t reserved;
  };
  constexpr std::size_t kMostWaiters = 128;
  constexpr std::uint32_t kSize32 = 0x02;
  constexpr long kFutexWaitv = 449;  // the same number on every architecture
  constexpr std::int64_t kFallbackNs = 1'000'000;
  if (waits.size() <= kMostWaiters) {
    Waiter waiters[kMostWaiters];
    for (std::size_t i = 0; i < waits.size(); ++i) {
      waiters[i] = {waits[i].expected, reinterpret_cast<std::uint64_t>(waits[i].word), kSize32, 0};
    }
    timespec until{};
    if (timeout_ns >= 0) {
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_sec += (until.tv_nsec + timeout_ns) / 1'000'000'000;
      until.tv_nsec = (until.tv_nsec + timeout_ns) % 1'000'000'000;
    }
    timespec* const limit = timeout_ns >= 0 ? &until : nullptr;
    if (syscall(kFutexWaitv, waiters, waits.size(), 0, limit, CLOCK_MONOTONIC) >= 0) return;
    // ENOSYS from an old kernel, EPERM from a sandbox: then it never sleeps.
    if (errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT) return;
  }
  futex_wait(*waits[0].word, waits[0].expected, kFallbackNs);
}

void futex_wait_any(std::span<const FutexWait> waits) noexcept { futex_wait_any_for(waits, -1); }

int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  return static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0));
}

}  // namespace starling
