// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether a test has had its core for itself. Thread safety: any thread, of its own switches.
#pragma once

#include "base/own_switches.hpp"

namespace starling {

/// Measures until the thread has not lost its core meanwhile, which a busy machine may never grant: negative.
template <typename Measure>
double undisturbed(const Measure& measure) {
  for (int i = 0; i < 1000; ++i) {
    const long before = own_switches();
    const double found = measure();
    if (own_switches() == before) return found;
  }
  return -1;
}

}  // namespace starling
