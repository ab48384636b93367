// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The last MPI calls of the ranks of a node, for the report of a failure (observe/last_calls.hpp).
// Thread safety: pure functions; the ranks may run on meanwhile.
#pragma once

#include "base/id.hpp"
#include "launch/report/failure_report.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

/// The last calls of the rank that has failed, and where the others of this node are, with their
/// last calls. Empty where it has made none.
[[nodiscard]] FailureReport describe_last_calls(const memory::JobSegment& segment, LocalRank failed);

/// Where the ranks of this node are, with their last calls, all but one; none: all of them.
[[nodiscard]] RankPlaces rank_places(const memory::JobSegment& segment, LocalRank but = LocalRank());

}  // namespace starling::launch
