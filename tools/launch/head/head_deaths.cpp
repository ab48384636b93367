// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_deaths.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

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
    ways_.send({FrameKind::kDied, node, number_body(rank)});
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
  if (loss.how == memory::Losses::How::kEnd) return ways_.send({FrameKind::kGiveUp, other, number_body(loss.rank)});
  if (gaps_.empty()) ways_.wait();
  gaps_.push_back({node, other, loss.rank});
}

std::pair<std::size_t, std::size_t> HeadDeaths::gaps_around(std::int32_t node) const {
  std::set<std::int32_t> others;
  std::size_t told_of = 0;
  for (const Gap& gap : gaps_) {
    if (gap.teller == node) others.insert(gap.other);
    if (gap.other == node) others.insert(gap.teller);
    told_of += gap.other == node ? 1 : 0;
  }
  return {others.size(), told_of};
}

void HeadDeaths::give_up_hosts() {
  while (true) {
    std::erase_if(gaps_, [this](const Gap& gap) {
      return is_dead(gap.rank) || at(gap.teller).step != Step::kRunning ||
             (at(gap.teller).is_here && at(gap.other).is_here);
    });
    if (gaps_.empty()) return;
    std::int32_t gone = -1;
    for (std::int32_t node = 0; static_cast<std::size_t>(node) < nodes_.size(); ++node) {
      if (!at(node).is_here && (gone < 0 || gaps_around(node) > gaps_around(gone))) gone = node;
    }
    const auto gap =
        std::ranges::find_if(gaps_, [gone](const Gap& each) { return each.teller == gone || each.other == gone; });
    const std::int32_t other = gap->teller == gone ? gap->other : gap->teller;
    ways_.lose_host(gone, formatted("it and host {} do not reach each other any more", at(other).host.name));
  }
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
