// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/under_way.hpp"

#include <algorithm>
#include <cstddef>

namespace starling::observe {
namespace {

bool takes(const Awaited& awaited) { return awaited.as == AwaitedAs::kReceive || awaited.as == AwaitedAs::kProbe; }

/// Whether a wait of a rank has the other side of an operation of this rank.
bool faces(const Awaited& awaited, std::int32_t rank, const RankSnapshot& other) {
  if (other.activity != Activity::kWaiting && other.activity != Activity::kTesting) return false;
  if (other.wait.has_more()) return true;
  return std::ranges::any_of(other.wait.awaited(), [&](const Awaited& each) {
    if (each.as == AwaitedAs::kOther) return true;
    const bool meet = takes(awaited) ? each.as == AwaitedAs::kSend : takes(each);
    const bool of_us = each.peer.is_none() || each.peer.value == rank;
    const bool same_tag = each.tag == awaited.tag || each.tag < 0 || awaited.tag < 0;
    return meet && of_us && same_tag && each.context_id == awaited.context_id;
  });
}

bool is_under_way(const Snapshot& snapshot, std::int32_t rank, const Awaited& awaited) {
  if (awaited.as != AwaitedAs::kSend && !takes(awaited)) return false;
  const auto ranks = static_cast<std::int32_t>(snapshot.ranks.size());
  if (!awaited.peer.is_none())
    return awaited.peer.value < ranks && faces(awaited, rank, snapshot.rank(awaited.peer.value));
  for (std::int32_t other = 0; other < ranks; ++other) {
    if (faces(awaited, rank, snapshot.rank(other))) return true;
  }
  return false;
}

}  // namespace

void mark_messages_under_way(Snapshot& snapshot) {
  std::vector<Wait> marked;
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < snapshot.ranks.size(); ++rank) {
    const Wait& wait = snapshot.rank(rank).wait;
    Wait& made = marked.emplace_back(wait.kind());
    for (Awaited awaited : wait.awaited()) {
      awaited.under_way = awaited.under_way || is_under_way(snapshot, rank, awaited);
      made.add(awaited);
    }
    made.add_untold(wait.pending() - static_cast<std::uint32_t>(wait.awaited().size()));
  }
  for (std::size_t rank = 0; rank < marked.size(); ++rank) snapshot.ranks[rank].wait = marked[rank];
}

}  // namespace starling::observe
