// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The method for few processes and segments: all states lie on the stack, for to allocate them would cost more than all
// that is computed.
//
// Thread safety: pure.
#pragma once

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

inline constexpr int kSmallProcesses = 12;
inline constexpr int kSmallSegments = 64;

/// Whether it takes the pattern, and is quicker than the fast method, which does not look through all processes for
/// each transfer.
[[nodiscard]] inline bool is_small(const Pattern& pattern) {
  constexpr int kCells = 256;
  return pattern.processes() <= kSmallProcesses && pattern.segments <= kSmallSegments &&
         pattern.processes() * pattern.segments <= kCells;
}

/// The pattern has been checked.
void run_small(const Pattern& pattern, RoundSink& sink);

}  // namespace starling::arrival
