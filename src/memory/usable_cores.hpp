// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The usable cores of a segment's ranks, as its maker counted them. So it is the same number on every rank, also where
// the ranks are of several jobs with different cores.
// Thread safety: any thread.
#pragma once

#include <cstdint>

#include "memory/job_segment.hpp"

namespace starling::memory {

[[nodiscard]] inline std::int32_t usable_cores_of(const JobSegment& segment) noexcept {
  return static_cast<std::int32_t>(segment.header().usable_cores);
}

}  // namespace starling::memory
