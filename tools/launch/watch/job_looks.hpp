// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the launcher looks at all ranks of its job: by queries to their nodes, or to the one node that it is itself.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launch/query/queries.hpp"
#include "launch/query/query.hpp"
#include "launch/query/responder.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::launch {

/// Asks the nodes of the job. The answers come once, at once or later.
using Ask = std::function<void(Query, Queries::Done)>;

/// Asks this node, which has all ranks of the job.
[[nodiscard]] Ask ask_here(EventLoop& loop, const NodeView& node);

/// The ranks at two moments, between which all that wait were quiet, if they are within the patience.
void look_at_job(const Ask& ask, std::int64_t patience_ns, std::function<void(observe::Snapshot)> done);

/// Adds to the snapshot where those to whom the diagnosis points are in their programs, as far as that can be found
/// within the patience.
void add_positions(const Ask& ask, observe::Snapshot snapshot, const observe::Diagnosis& diagnosis,
                   std::int64_t patience_ns, std::function<void(observe::Snapshot)> done);

/// What the job does now: the lines of state_words().
void explain_job(const Ask& ask, std::function<void(std::string)> done);

}  // namespace starling::launch
