// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared domain of a job's ranks on one node. Thread safety: a pure function.
#pragma once

#include "base/ref.hpp"
#include "comm/shared_domain.hpp"
#include "memory/job_segment.hpp"
#include "memory/placement.hpp"

namespace starling::comm {

/// Of the ranks of the own node. segment: theirs; outlives it.
[[nodiscard]] Ref<SharedDomain> domain_of_node(memory::JobSegment& segment, const memory::Placement& placement);

}  // namespace starling::comm
