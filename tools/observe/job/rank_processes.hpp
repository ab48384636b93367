// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which process is a rank of this node, also before MPI_Init and inside a container, whose processes have other numbers
// for themselves.
// Thread safety: reads /proc and the segment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "memory/job_segment.hpp"

namespace starling::observe {

/// The processes of those of these world ranks that run here; empty: of all. worker: the parent of the ranks.
[[nodiscard]] std::map<std::int32_t, pid_t> rank_processes(const memory::JobSegment& segment, pid_t worker,
                                                           const std::vector<std::int32_t>& ranks);

}  // namespace starling::observe
