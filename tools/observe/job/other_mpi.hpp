// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Jobs of another MPI, which 'starling see' has made a segment for. Their ranks tell what they call, and not what moves
// within a call.
// Thread safety: reads the segment.
#pragma once

#include <cstdint>

#include "memory/job_segment.hpp"

namespace starling::observe {

/// What stands in place of the layout of Starling's own library (JobHeader::library_layout).
inline constexpr std::uint64_t kOtherMpiLayout = 0x656573676e6c7473;  // "stlngsee"

[[nodiscard]] inline bool is_of_other_mpi(const memory::JobSegment& segment) {
  return segment.header().library_layout.load(std::memory_order_relaxed) == kOtherMpiLayout;
}

}  // namespace starling::observe
