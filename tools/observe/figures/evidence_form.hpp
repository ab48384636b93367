// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The written form of the evidence of a node, in which it tells others what it has seen of its ranks, and the sum of
// what several nodes tell.
//
// Thread safety: pure functions. Invariants: what parse_evidence() accepts names ranks of the job and hosts that it
// has itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "observe/figures/job_checks.hpp"

namespace starling::observe {

[[nodiscard]] std::string serialised(const JobEvidence& evidence);

/// ranks: how many the job has. kOther: damaged, or of another job.
[[nodiscard]] Result<JobEvidence> parse_evidence(std::string_view bytes, std::size_t ranks);

/// Adds the ranks and hosts of a part.
void add_part(JobEvidence& whole, JobEvidence part);

}  // namespace starling::observe
