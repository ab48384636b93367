// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How often the calling thread has lost its core. Thread safety: any thread.
#pragma once

#include <sys/resource.h>

namespace starling {

/// How often it has lost its core to another thread that wanted it, in a yield or against its will; an interrupt does
/// not count, nor a machine below this one. A system call. Source: getrusage(2), ru_nivcsw.
inline long own_switches() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace starling
