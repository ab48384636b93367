// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether a test has had its core for itself. Thread safety: any thread, of its own switches.
#pragma once

#include <sys/resource.h>

namespace starling {

/// How often the calling thread has lost its core to another that wanted it.
inline long switches_of_own_thread() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Measures until the thread has not lost its core meanwhile, which a busy machine may never grant: negative.
template <typename Measure>
double undisturbed(const Measure& measure) {
  for (int i = 0; i < 1000; ++i) {
    const long before = switches_of_own_thread();
    const double found = measure();
    if (switches_of_own_thread() == before) return found;
  }
  return -1;
}

}  // namespace starling
