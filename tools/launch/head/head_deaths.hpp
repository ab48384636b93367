// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HeadDeaths: the deaths in a job on several hosts. Ranks die one by one, as their agents tell, or with their host; of
// each all hosts are told whose ranks run, once. In a job that goes on it also decides what becomes of a rank that
// others have lost though nobody has told of its death, and how the job has gone in the end.
// Thread safety: none, for the event loop's thread. Invariants: who is dead stays dead; all hosts are told the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/head/node.hpp"
#include "launch/link/frame.hpp"

namespace starling::launch {

class HeadDeaths {
 public:
  /// Other hosts may be about to say the same of a host as the first.
  static constexpr std::int64_t kToHearOthersNs = 400'000'000;

  struct Ways {
    /// To the node that the frame names.
    std::function<void(Frame)> send;
    /// Nothing is to come from this host any more, for this reason; the rest of a sentence about it.
    std::function<void(std::int32_t node, const std::string& why)> lose_host;
    /// Calls give_up_hosts() after kToHearOthersNs.
    std::function<void()> wait;
  };

  /// The nodes outlive it.
  HeadDeaths(const std::vector<HeadNode>& nodes, Ways ways) : nodes_(nodes), ways_(std::move(ways)) {}

  /// A rank of this node has died, or has left.
  void on_died(std::int32_t node, WorldRank rank);
  /// All that has run on this node is dead.
  void on_host_lost(std::int32_t node);
  /// Ranks of this node have lost a rank of another one. One whose connection has ended is ended; of two hosts that do
  /// not reach each other one has to go.
  void on_rank_lost(std::int32_t node, const RankLoss& loss);
  /// Of hosts that do not reach each other: first the one that reaches the fewest, of two that are alike the one that
  /// was told of; never the one where mpiexec is.
  void give_up_hosts();

  /// Of a job that has gone on to its end: that of the ranks that have come through MPI_Finalize; if none has, that of
  /// the first death.
  [[nodiscard]] int exit_code() const;

 private:
  [[nodiscard]] const HeadNode& at(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
  /// -1: there is no such rank.
  [[nodiscard]] std::int32_t node_of(WorldRank rank) const;
  [[nodiscard]] bool is_dead(WorldRank rank) const { return rank.index() < dead_.size() && dead_[rank.index()]; }
  void tell(WorldRank rank, std::int32_t except);
  /// Between hosts that do not reach each other.
  struct Gap {
    std::int32_t teller;
    std::int32_t other;
    WorldRank rank;  ///< of the other
  };
  /// How many hosts do not reach this one, and behind that how often it was told of.
  [[nodiscard]] std::pair<std::size_t, std::size_t> gaps_around(std::int32_t node) const;

  const std::vector<HeadNode>& nodes_;
  Ways ways_;
  std::vector<Gap> gaps_;
  std::vector<bool> dead_;                  ///< by world rank; the ranks behind its end live
  std::optional<std::int32_t> first_node_;  ///< with a death
};

}  // namespace starling::launch
