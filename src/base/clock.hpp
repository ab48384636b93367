// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The system's clocks. All ranks of one node read the same monotonic one.
#pragma once

#include <cstdint>
#include <ctime>

namespace starling {

inline constexpr std::int64_t kMillisecond = 1'000'000;  // in nanoseconds

/// Nanoseconds of the system's clock; 0 where it cannot be read, as that of a process that has ended.
inline std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Nanoseconds of CLOCK_MONOTONIC (about 20 ns to read through the vDSO).
inline std::int64_t now_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace starling
