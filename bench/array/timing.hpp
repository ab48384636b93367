// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the benchmarks of object arrays take times.
//
// **Thread safety**: pure functions. **Invariants**: the clock is steady.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

/// Since some moment.
inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
double seconds_of(Body&& body) {
  const double begin_s = seconds();
  body();
  return seconds() - begin_s;
}

/// Of one value or more.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
