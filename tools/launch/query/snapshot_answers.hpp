// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The answers to a query of kind kSnapshot, put together: what all ranks of a job do.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/query/query.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::launch {

/// Asks for a look at all ranks. It takes 20 ms, and with patience goes on until all that wait were quiet.
[[nodiscard]] Query snapshot_query(std::int64_t patience_ns);

/// The ranks of nodes that have not answered are kElsewhere.
[[nodiscard]] observe::Snapshot snapshot_of(const Answers& answers);

/// A sentence for each node that has not answered, without a full stop: "host b does not answer: its ranks 2 and 3 are
/// not seen".
[[nodiscard]] std::vector<std::string> problems_of(const Answers& answers);

}  // namespace starling::launch
