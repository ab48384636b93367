// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The stacks of ranks: QueryKind::kStacks. A helper on each node reads them from outside, and stops each rank for
// some milliseconds meanwhile.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/query/query.hpp"
#include "launch/query/responder.hpp"
#include "observe/stack/stack.hpp"
#include "observe/stack/stack_report.hpp"

namespace starling::launch {

/// ranks: empty for all.
[[nodiscard]] Query stacks_query(std::vector<std::int32_t> ranks, observe::StackDetail detail,
                                 std::int64_t patience_ns);
[[nodiscard]] std::vector<observe::RankStacks> stacks_of(const Answers& answers);

void respond_with_stacks(EventLoop& loop, const NodeView& node, const Query& query, Reply reply);

}  // namespace starling::launch
