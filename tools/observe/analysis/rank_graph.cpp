// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/rank_graph.hpp"

#include <algorithm>

namespace starling::observe {
namespace {

/// Of what a wait for one of several operations needs to know all.
bool waits_for_any(const Wait& wait) { return wait.kind() == WaitKind::kAny || wait.kind() == WaitKind::kSome; }

/// Waits that the graph knows only in part: what ends them is not only a message of a rank that is named. So it is with
/// the collective calls of windows and files, as MPI_Win_fence, whatever they wait for inside.
bool is_known_in_part(const RankSnapshot& rank) {
  if (rank.call.starts_with("MPI_Win_") || rank.call.starts_with("MPI_File_")) return true;
  switch (rank.wait.kind()) {
    case WaitKind::kOne:
    case WaitKind::kAll:
    case WaitKind::kAny:
    case WaitKind::kSome:
    case WaitKind::kCollective:
    case WaitKind::kFinalize: return false;
    default: return true;
  }
}

}  // namespace

RankGraph::RankGraph(const Snapshot& snapshot, const std::vector<bool>& counted, const std::vector<bool>& mismatched)
    : snapshot_(snapshot), ranks_(snapshot.ranks.size()), uncertain_(ranks_, false) {
  for (const RankSnapshot& rank : snapshot.ranks) {
    graph_.add(has_gone(rank.activity) ? NodeKind::kStuck : NodeKind::kRuns);
  }
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    if (snapshot.ranks[rank].activity != Activity::kWaiting || !counted[rank]) continue;
    if (mismatched[rank])
      graph_.set_kind(rank, NodeKind::kStuck);
    else
      add_wait(static_cast<std::int32_t>(rank));
  }
}

void RankGraph::add_wait(std::int32_t rank) {
  const Wait& wait = snapshot_.ranks[node_of(rank)].wait;
  uncertain_[node_of(rank)] = is_known_in_part(snapshot_.ranks[node_of(rank)]);
  if (wait.kind() == WaitKind::kConnection) return;
  if (wait.kind() == WaitKind::kFinalize) return add_finalize(rank);
  // One of several operations may be complete, and nobody knows which; but not all are.
  const bool any_may_last = snapshot_.of_other_mpi && wait.kind() == WaitKind::kAll && wait.pending() > 1;
  const bool for_one = waits_for_any(wait) || any_may_last;
  if (for_one && wait.has_more()) return;
  WaitGraph::Nodes targets;
  const std::optional<CollectiveKey> collective = awaited_collective(snapshot_, rank);
  const std::optional<Node> missing = collective ? collective_node(*collective) : std::nullopt;
  if (missing && wait.kind() == WaitKind::kCollective) targets.push_back(*missing);
  for (const Awaited& awaited : wait.awaited()) {
    const std::optional<Node> target = target_of(rank, awaited);
    if (target) targets.push_back(*target);
    if (!target && for_one) return;
    if (awaited.as == AwaitedAs::kWindow) uncertain_[node_of(rank)] = true;
    // All have come to the collective: one of them may only be slow to answer.
    if (wait.kind() == WaitKind::kCollective && !missing) uncertain_[node_of(rank)] = true;
  }
  if (targets.empty()) return;
  graph_.set_kind(node_of(rank), for_one ? NodeKind::kWaitsForAny : NodeKind::kWaitsForAll);
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  for (const Node target : targets) graph_.wait_for(node_of(rank), target);
}

void RankGraph::add_finalize(std::int32_t rank) {
  graph_.set_kind(node_of(rank), NodeKind::kWaitsForAll);
  for (std::size_t other = 0; other < ranks_; ++other) {
    const RankSnapshot& each = snapshot_.ranks[other];
    const bool has_come = each.activity == Activity::kFinalized ||
                          (each.activity == Activity::kWaiting && each.wait.kind() == WaitKind::kFinalize);
    if (!has_come) graph_.wait_for(node_of(rank), other);
  }
}

std::optional<WaitGraph::Node> RankGraph::target_of(std::int32_t rank, const Awaited& awaited) {
  if (awaited.under_way || awaited.as == AwaitedAs::kOther) return std::nullopt;
  if (awaited.as == AwaitedAs::kCollective) {
    if (awaited.tag < 0) return std::nullopt;
    return collective_node(key_of(snapshot_, rank, awaited.context_id, static_cast<std::uint64_t>(awaited.tag)));
  }
  if (!awaited.peer.is_none()) {
    const bool is_of_job = awaited.peer.value >= 0 && static_cast<std::size_t>(awaited.peer.value) < ranks_;
    return is_of_job ? std::optional(node_of(awaited.peer.value)) : std::nullopt;
  }
  return awaited.as == AwaitedAs::kSend ? std::nullopt : members_node(awaited.context_id, rank);
}

std::optional<WaitGraph::Node> RankGraph::collective_node(const CollectiveKey& key) {
  const auto [found, is_new] = missing_.try_emplace(key, 0);
  if (is_new) {
    found->second = graph_.add(NodeKind::kWaitsForAll);
    for (const std::int32_t member : missing_members(snapshot_, key)) graph_.wait_for(found->second, node_of(member));
  }
  return graph_[found->second].targets.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<WaitGraph::Node> RankGraph::members_node(std::uint32_t context, std::int32_t member) {
  const std::vector<std::int32_t> members = members_of(snapshot_, context, member);
  if (members.empty()) return std::nullopt;
  const auto [found, is_new] = members_.try_emplace({context, members.front()}, 0);
  if (is_new) {
    found->second = graph_.add(NodeKind::kWaitsForAny);
    for (const std::int32_t each : members) graph_.wait_for(found->second, node_of(each));
  }
  return found->second;
}

std::vector<std::int32_t> RankGraph::awaited_ranks(std::int32_t rank) const {
  std::vector<std::int32_t> ranks;
  for (const Node target : graph_[node_of(rank)].targets) {
    if (is_rank(target)) {
      ranks.push_back(static_cast<std::int32_t>(target));
      continue;
    }
    for (const Node member : graph_[target].targets) ranks.push_back(static_cast<std::int32_t>(member));
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  // Nobody waits for a message of its own where others may send it.
  if (waits_for_one(rank) && ranks.size() > 1) std::erase(ranks, rank);
  return ranks;
}

bool RankGraph::waits_for_one(std::int32_t rank) const {
  const WaitGraph::Entry& entry = graph_[node_of(rank)];
  return entry.kind == NodeKind::kWaitsForAny || std::ranges::any_of(entry.targets, [&](Node target) {
           return !is_rank(target) && graph_[target].kind == NodeKind::kWaitsForAny;
         });
}

}  // namespace starling::observe
