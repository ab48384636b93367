// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_deaths.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"

namespace starling::launch {

void HeadDeaths::on_died(std::int32_t node, WorldRank rank) {
  if (!first_node_) first_node_ = node;
  tell(rank, node);
}

void HeadDeaths::on_host_lost(std::int32_t node) {
  if (!first_node_) first_node_ = node;
  for (const WorldRank rank : at(node).share.ranks) tell(rank, node);
}

void HeadDeaths::tell(WorldRank rank, std::int32_t except) {
  if (rank.index() >= dead_.size()) dead_.resize(rank.index() + 1);
  if (dead_[rank.index()]) return;
  dead_[rank.index()] = true;
  for (std::int32_t node = 0; static_cast<std::size_t>(node) < nodes_.size(); ++node) {
    if (node == except || at(node).step != Step::kRunning) continue;
    send_({FrameKind::kDied, node, number_body(rank)});
  }
}

std::int32_t HeadDeaths::node_of(WorldRank rank) const {
  const auto found = std::ranges::find_if(
      nodes_, [rank](const HeadNode& node) { return std::ranges::binary_search(node.share.ranks, rank); });
  return found == nodes_.end() ? -1 : static_cast<std::int32_t>(found - nodes_.begin());
}

void HeadDeaths::on_rank_lost(std::int32_t node, const RankLoss& loss) {
  const std::int32_t other = node_of(loss.rank);
  // What a host says that has been given up, or about one, counts no more.
  if (other < 0 || other == node || is_dead(loss.rank)) return;
  if (at(node).step != Step::kRunning || at(other).step != Step::kRunning) return;
  if (loss.how == memory::Losses::How::kEnd) return send_({FrameKind::kGiveUp, other, number_body(loss.rank)});
  const std::int32_t gone = at(other).is_here ? node : other;
  if (at(gone).is_here) return;  // two names of mpiexec's own machine
  lose_host_(gone,
             formatted("it and host {} do not reach each other any more", at(gone == other ? node : other).host.name));
}

int HeadDeaths::exit_code() const {
  const bool finished = std::ranges::any_of(nodes_, [](const HeadNode& node) { return node.over.finished; });
  const auto code_of = [&](const HeadNode& node) {
    if (finished && !node.over.finished) return 0;
    return node.is_lost && !finished ? EXIT_FAILURE : node.over.exit_code;
  };
  int code = !finished && first_node_ ? code_of(at(*first_node_)) : 0;
  for (const HeadNode& node : nodes_) {
    if (code == 0) code = code_of(node);
  }
  return code;
}

}  // namespace starling::launch
