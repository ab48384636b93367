// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The paper's method: a segment tree over the processes whose nodes are logical sums of bit vectors over the segments.
//
// Source: the paper's section 5 (schedule.hpp): processes ordered by fractional arrival time with two places each,
// states of one bit, P' apart, the active set by merging, idle rounds skipped, the root put first.
#pragma once

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void run_segment_tree(const Pattern& pattern, RoundSink& sink);

}  // namespace starling::arrival
