// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The paper's method: a segment tree over the processes whose nodes are logical sums of bit vectors over the segments.
//
// Source: the paper's section 5 (schedule.hpp): processes ordered by fractional arrival time with two places each,
// states of one bit, P' apart, the active set by merging, idle rounds skipped, the root put first.
#pragma once

#include <cstddef>

#include "arrival/methods/tree_round.hpp"
#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void run_segment_tree(const Pattern& pattern, RoundSink& sink);
/// By one of the tree_kernels() of this machine.
void run_segment_tree_by(const TreeKernels& kernels, const Pattern& pattern, RoundSink& sink);

/// What the states of all processes and segments take, and the sums over them (the paper's section 5.5).
std::size_t segment_tree_state_bytes(const Pattern& pattern);

}  // namespace starling::arrival
