// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The two clocks that tests may read: one tells who came first, the other what a thread has used. Neither depends on
// what else the machine does.
#pragma once

#include <time.h>

#include <chrono>

namespace starling {

/// Nanoseconds that only go forward. All ranks are on one machine and read one clock, threads and processes alike.
inline long long shared_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The same in seconds.
inline double shared_clock_s() { return static_cast<double>(shared_clock_ns()) * 1e-9; }

/// Seconds of processor time that this thread has used.
inline double thread_processor_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace starling
