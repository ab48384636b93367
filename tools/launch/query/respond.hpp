// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which responder answers which kind of query.
// Thread safety: none, for the event loop's thread.
#pragma once

#include "launch/query/responder.hpp"

namespace starling::launch {

/// Answers the query about the ranks of the node.
void respond(EventLoop& loop, const NodeView& node, const Query& query, Reply reply);

}  // namespace starling::launch
