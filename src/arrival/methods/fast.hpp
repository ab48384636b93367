// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The fast method: the holders of a segment are a row of bits, the segments of a process a column of bits, and only
// the processes near the active window have any (fast_round.hpp tells the round, window.hpp the rest).
//
// Source: /docs/design/arrival.md.
#pragma once

#include <cstddef>

#include "arrival/methods/fast_round.hpp"
#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void run_fast(const Pattern& pattern, RoundSink& sink);

/// The same where run_fast would leave a small pattern to another method: tests try this one on small patterns, too. At
/// most Window::kMostSegments segments.
void run_windowed(const Pattern& pattern, RoundSink& sink, const FastKernels& kernels = *fast_kernels().back());

/// The most memory that a run on this pattern holds at a time, without the pattern and the schedule.
std::size_t fast_memory_bytes(const Pattern& pattern);

}  // namespace starling::arrival
