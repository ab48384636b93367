// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Monotonic time. All ranks of one node read the same clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace starling {

inline constexpr std::int64_t kMillisecond = 1'000'000;  // in nanoseconds

/// Nanoseconds of CLOCK_MONOTONIC (about 20 ns to read through the vDSO).
inline std::int64_t now_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace starling
