// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Answers QueryKind::kSnapshot: what the ranks here do, as observe/model/snapshot_form.hpp writes it.
// Thread safety: none, for the event loop's thread.
#pragma once

#include "launch/query/responder.hpp"

namespace starling::launch {

void respond_with_snapshot(EventLoop& loop, const NodeView& node, const Query& query, Reply reply);

}  // namespace starling::launch
