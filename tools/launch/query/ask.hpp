// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Asks a running job from outside: one on this node by looking at it here, one on several hosts through its mpiexec.
// Thread safety: for single-threaded processes; waits for the answers.
#pragma once

#include "base/status.hpp"
#include "launch/query/query.hpp"
#include "observe/job/found_job.hpp"

namespace starling::launch {

/// The answers of all nodes that were asked. An error says why nobody could be asked: a sentence without a full stop.
[[nodiscard]] Result<Answers> ask(const observe::FoundJob& job, const Query& query);

}  // namespace starling::launch
