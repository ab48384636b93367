// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The two clocks of the library. The one on the wall costs some 25 ns; that of the thread is a call of the system, 200
// to 700 ns.
//
// **Thread safety**: any thread. **Invariants**: both only go forward.
#pragma once

#include <time.h>

namespace starling::array::detail {

/// The time on the wall, in seconds since some moment.
inline double wall_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
/// The processor time that this thread has had, in seconds.
inline double thread_processor_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace starling::array::detail
