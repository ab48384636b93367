// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Placement: on which node each rank of a job runs, and its rank there. The launcher says it, never the memory that
// happens to be reachable. A node is a set of ranks that share one job segment. The same in every process of a job but
// for own_node(). Thread safety: immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/id.hpp"

namespace starling::memory {

class Placement {
 public:
  struct Node {
    std::vector<WorldRank> ranks;             ///< in the order of their local ranks
    std::int32_t usable_cores = 1;            ///< by the ranks of this job
    std::vector<std::int32_t> app_numbers{};  ///< MPI_APPNUM of the ranks, in the same order; empty: all are 0
  };

  /// All ranks on one node, with local ranks equal to their world ranks.
  static Placement one_node(std::int32_t ranks, std::int32_t usable_cores) {
    Node all{{}, usable_cores};
    for (std::int32_t rank = 0; rank < ranks; ++rank) all.ranks.emplace_back(rank);
    return Placement({std::move(all)}, 0);
  }

  /// Every world rank stands on one of the nodes.
  Placement(std::vector<Node> nodes, std::int32_t own_node) : nodes_(std::move(nodes)), own_node_(own_node) {
    std::size_t size = 0;
    for (const Node& node : nodes_) size += node.ranks.size();
    places_.resize(size);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      for (std::size_t local = 0; local < nodes_[node].ranks.size(); ++local) {
        places_[nodes_[node].ranks[local].index()] = {static_cast<std::int32_t>(node), LocalRank(local)};
      }
    }
  }

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(places_.size()); }
  [[nodiscard]] std::int32_t nodes() const noexcept { return static_cast<std::int32_t>(nodes_.size()); }
  [[nodiscard]] const Node& node(std::int32_t number) const noexcept {
    return nodes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] std::int32_t own_node() const noexcept { return own_node_; }

  [[nodiscard]] std::int32_t node_of(WorldRank rank) const noexcept { return places_[rank.index()].node; }
  [[nodiscard]] LocalRank local_of(WorldRank rank) const noexcept { return places_[rank.index()].local; }
  [[nodiscard]] bool is_here(WorldRank rank) const noexcept { return node_of(rank) == own_node_; }
  /// Of a rank on this node.
  [[nodiscard]] WorldRank world_of(LocalRank local) const noexcept { return node(own_node_).ranks[local.index()]; }

  /// Of all nodes together.
  [[nodiscard]] std::int32_t usable_cores() const noexcept {
    std::int32_t cores = 0;
    for (const Node& node : nodes_) cores += node.usable_cores;
    return cores;
  }
  /// Of the node that has the fewest: what choices that all ranks must make alike count on.
  [[nodiscard]] std::int32_t fewest_usable_cores() const noexcept {
    std::int32_t fewest = nodes_.front().usable_cores;
    for (const Node& node : nodes_) fewest = std::min(fewest, node.usable_cores);
    return fewest;
  }

 private:
  struct Place {
    std::int32_t node = 0;
    LocalRank local;
  };

  std::vector<Node> nodes_;
  std::vector<Place> places_;
  std::int32_t own_node_;
};

}  // namespace starling::memory
