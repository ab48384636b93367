// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The check that the processes of a segment lay their data out alike: the ranks of a job, and jobs that connect, may
// have loaded different builds of libmpi_abi.so.1. The job segment's own layout is checked where it is opened
// (memory/). Thread safety: agree_on_library() from any process.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::world {

/// A fingerprint of all structs that the engine puts into a segment, and of the version of their meaning.
extern const std::uint64_t kLibraryLayout;

/// Whether this process may join those that use the segment; the first to come decides. kOther when it may not.
Status agree_on_library(memory::JobSegment& segment);

}  // namespace starling::world
