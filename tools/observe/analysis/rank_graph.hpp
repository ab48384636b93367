// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankGraph: the wait-for graph of the ranks of a job, made of a snapshot.
//
// A receive waits for its source, a send for its destination, MPI_Waitall for all of its peers, MPI_Waitany and a
// receive from any source for one of theirs, a collective for each member that has not begun it. What is not known
// never makes a rank stuck: a wait whose end nobody can foretell counts as running.
//
// Thread safety: immutable once made. The snapshot must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "observe/analysis/collective_check.hpp"
#include "observe/analysis/wait_graph.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

class RankGraph {
 public:
  /// counted: the ranks whose waits count; the others run. mismatched: the ranks that wait in a collective which others
  /// have called otherwise.
  RankGraph(const Snapshot& snapshot, const std::vector<bool>& counted, const std::vector<bool>& mismatched);

  [[nodiscard]] const WaitGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] bool is_rank(WaitGraph::Node node) const noexcept { return node < ranks_; }
  /// The ranks for which a rank waits: for all of them, or for one. Empty where it does not wait, or not for a rank.
  [[nodiscard]] std::vector<std::int32_t> awaited_ranks(std::int32_t rank) const;
  [[nodiscard]] bool waits_for_one(std::int32_t rank) const;
  /// Whether the graph knows the wait of a rank only in part, as that for a window.
  [[nodiscard]] bool is_uncertain(std::int32_t rank) const { return uncertain_[static_cast<std::size_t>(rank)]; }

 private:
  using Node = WaitGraph::Node;
  [[nodiscard]] static Node node_of(std::int32_t rank) noexcept { return static_cast<Node>(rank); }

  void add_wait(std::int32_t rank);
  void add_finalize(std::int32_t rank);
  std::optional<Node> target_of(std::int32_t rank, const Awaited& awaited);
  std::optional<Node> collective_node(const CollectiveKey& key);
  std::optional<Node> members_node(std::uint32_t context, std::int32_t member);

  const Snapshot& snapshot_;
  std::size_t ranks_;
  WaitGraph graph_;
  std::vector<bool> uncertain_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Node> members_;  ///< one of a communicator's, by its first
  std::map<CollectiveKey, Node> missing_;                           ///< all that a collective lacks
};

}  // namespace starling::observe
