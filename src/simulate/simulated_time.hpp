// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Simulated time: on the thread of a simulated rank the monotonic clock is SimGrid's, and a thread that sleeps on a
// futex or yields does so in simulated time. simulated_time.cpp defines the functions of base/futex.hpp, and libc's
// clock_gettime and sched_yield, for the whole program, so the library that runs is the one that is installed, compiled
// once.
//
// Thread safety: SimGrid runs one rank at a time.
#pragma once

namespace starling::simulate {

/// This thread is that of a simulated rank for as long as it lives.
class InSimulatedTime {
 public:
  InSimulatedTime() noexcept;
  ~InSimulatedTime();
  InSimulatedTime(const InSimulatedTime&) = delete;
  InSimulatedTime& operator=(const InSimulatedTime&) = delete;
};

/// Whom this thread wakes hears of it so much later from now on; 0 at first. What it was before.
double set_ns_to_be_heard(double ns) noexcept;

/// The processor of this rank is busy for so long.
void spend_ns(double ns);

}  // namespace starling::simulate
