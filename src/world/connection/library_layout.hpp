// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the libraries of several processes must have in common: the ranks of a job, and jobs that meet, may have loaded
// different builds of libmpi_abi.so.1. The job segment's own layout is checked where it is opened (memory/).
// Thread safety: agree_on_library() from any process.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::world {

/// A fingerprint of all structs that the engine puts into a segment, and of the version of what it says through them.
extern const std::uint64_t kLibraryLayout;

/// Whether this process may join those that use the segment; the first to come decides. kOther when it may not.
Status agree_on_library(memory::JobSegment& segment);

}  // namespace starling::world
