// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/respond.hpp"

#include <utility>

#include "launch/query/evidence_responder.hpp"
#include "launch/query/positions.hpp"
#include "launch/query/snapshot_responder.hpp"
#include "launch/query/stacks.hpp"

namespace starling::launch {

void respond(EventLoop& loop, const NodeView& node, const Query& query, Reply reply) {
  if (node.segment == nullptr) return reply({"has not started its ranks yet", {}});
  switch (query.kind) {
    case QueryKind::kSnapshot: return respond_with_snapshot(loop, node, query, std::move(reply));
    case QueryKind::kPositions: return respond_with_positions(loop, node, query, std::move(reply));
    case QueryKind::kStacks: return respond_with_stacks(loop, node, query, std::move(reply));
    case QueryKind::kEvidence: return respond_with_evidence(loop, node, query, std::move(reply));
    case QueryKind::kKinds: break;
  }
  reply({"does not know what is asked", {}});
}

}  // namespace starling::launch
