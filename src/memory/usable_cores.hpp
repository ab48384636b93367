// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The usable cores of a segment's ranks, as its maker counted them. So number and spread are the same on every rank,
// also where the ranks are of several jobs with different cores.
// Thread safety: any thread.
#pragma once

#include <cstdint>

#include "memory/job_segment.hpp"

namespace starling::memory {

[[nodiscard]] inline std::int32_t usable_cores_of(const JobSegment& segment) noexcept {
  return static_cast<std::int32_t>(segment.header().usable_cores);
}

/// How far apart they are: a tuning::Distance.
[[nodiscard]] inline std::uint32_t spread_of(const JobSegment& segment) noexcept { return segment.header().spread; }

}  // namespace starling::memory
