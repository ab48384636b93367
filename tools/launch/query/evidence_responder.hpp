// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the ranks do and use, watched for as long as the query has patience: QueryKind::kEvidence, for starling top and
// starling doctor JOB.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>

#include "launch/query/query.hpp"
#include "launch/query/responder.hpp"
#include "observe/figures/job_checks.hpp"

namespace starling::launch {

void respond_with_evidence(EventLoop& loop, const NodeView& node, const Query& query, Reply reply);

[[nodiscard]] Query evidence_query(std::int64_t watched_ns);

/// Of all nodes that have answered, under the names by which the job calls their hosts.
[[nodiscard]] observe::JobEvidence evidence_of(const Answers& answers);

}  // namespace starling::launch
