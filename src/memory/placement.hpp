// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Placement: on which node each rank of a job runs, and its rank there. The launcher says it, never the memory that
// happens to be reachable. A node is a set of ranks that share one job segment. The same in every process of a job but
// for own_node(). Thread safety: immutable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/id.hpp"

namespace starling::memory {

/// Where a rank is.
struct Place {
  std::int32_t node = 0;
  LocalRank local;

  friend bool operator==(const Place&, const Place&) = default;
};
static_assert(sizeof(Place) == 8, "stands in the job card, for each rank of a job");

/// Rows of numbers, so that all processes of a node can use the same ones. The rank with local rank l on node n is
/// ranks[nodes[n].first + l].
struct PlacementTables {
  struct NodeRow {
    std::uint32_t first = 0;
    std::uint32_t ranks = 0;
    std::int32_t usable_cores = 1;
  };
  static_assert(sizeof(NodeRow) == 12, "stands in the job card");

  std::span<const NodeRow> nodes;
  std::span<const WorldRank> ranks;
  std::span<const std::int32_t> app_numbers;  ///< of the same ranks
  std::span<const Place> places;              ///< by world rank
};

class Placement {
 public:
  /// What a launcher says of a node.
  struct Node {
    std::vector<WorldRank> ranks;             ///< in the order of their local ranks
    std::int32_t usable_cores = 1;            ///< by the ranks of this job
    std::vector<std::int32_t> app_numbers{};  ///< MPI_APPNUM of the ranks, in the same order; empty: all are 0
  };
  /// The same in the tables, where each rank has an application number.
  struct NodeView {
    std::span<const WorldRank> ranks;
    std::int32_t usable_cores;
    std::span<const std::int32_t> app_numbers;
  };

  /// All ranks on one node, with local ranks equal to their world ranks.
  static Placement one_node(std::int32_t ranks, std::int32_t usable_cores);

  /// Every world rank stands on one of the nodes.
  Placement(const std::vector<Node>& nodes, std::int32_t own_node);
  /// memory: keeps the tables where they are.
  Placement(const PlacementTables& tables, std::int32_t own_node, std::shared_ptr<const void> memory) noexcept
      : tables_(tables), own_node_(own_node), memory_(std::move(memory)) {}

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(tables_.places.size()); }
  [[nodiscard]] std::int32_t nodes() const noexcept { return static_cast<std::int32_t>(tables_.nodes.size()); }
  [[nodiscard]] NodeView node(std::int32_t number) const noexcept {
    const PlacementTables::NodeRow& row = tables_.nodes[static_cast<std::size_t>(number)];
    return {tables_.ranks.subspan(row.first, row.ranks), row.usable_cores,
            tables_.app_numbers.subspan(row.first, row.ranks)};
  }
  [[nodiscard]] std::int32_t own_node() const noexcept { return own_node_; }

  [[nodiscard]] std::int32_t node_of(WorldRank rank) const noexcept { return tables_.places[rank.index()].node; }
  [[nodiscard]] LocalRank local_of(WorldRank rank) const noexcept { return tables_.places[rank.index()].local; }
  [[nodiscard]] bool is_here(WorldRank rank) const noexcept { return node_of(rank) == own_node_; }
  /// Of a rank on this node.
  [[nodiscard]] WorldRank world_of(LocalRank local) const noexcept { return node(own_node_).ranks[local.index()]; }

  /// Of all nodes together.
  [[nodiscard]] std::int32_t usable_cores() const noexcept {
    std::int32_t cores = 0;
    for (const PlacementTables::NodeRow& node : tables_.nodes) cores += node.usable_cores;
    return cores;
  }
  /// Of the node that has the fewest: what choices that all ranks must make alike count on.
  [[nodiscard]] std::int32_t fewest_usable_cores() const noexcept {
    std::int32_t fewest = tables_.nodes.front().usable_cores;
    for (const PlacementTables::NodeRow& node : tables_.nodes) fewest = std::min(fewest, node.usable_cores);
    return fewest;
  }

 private:
  PlacementTables tables_;
  std::int32_t own_node_;
  std::shared_ptr<const void> memory_;  ///< where the tables are
};

}  // namespace starling::memory
