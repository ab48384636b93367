// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The virtual topologies of communicators, as data. A communicator has at most one; its duplicates share it.
// Thread safety: immutable once made. Source: MPI-5.0, chapter 8.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace starling::mpi {

/// This process's place in a grid (8.5.1).
struct CartTopology {
  std::vector<int> dims;
  std::vector<int> periods;
  std::vector<int> coords;
};

/// A graph that every process knows whole (8.5.3): the neighbours of rank r are edges[index[r-1]] to edges[index[r]-1].
struct GraphTopology {
  std::vector<int> index;
  std::vector<int> edges;
};

[[nodiscard]] inline std::span<const int> neighbors_of_node(const GraphTopology& graph, int node) {
  const auto at = static_cast<std::size_t>(node);
  const auto begin = static_cast<std::size_t>(node == 0 ? 0 : graph.index[at - 1]);
  return std::span(graph.edges).subspan(begin, static_cast<std::size_t>(graph.index[at]) - begin);
}

/// A graph of which every process knows its own edges (8.5.4).
struct DistGraphTopology {
  struct Side {
    std::vector<int> ranks;
    std::vector<int> weights;  ///< one for each rank; empty in a graph without weights
  };
  Side sources;
  Side destinations;
  bool weighted = false;
};

/// At most one is set.
struct Topology {
  std::shared_ptr<const CartTopology> cart;
  std::shared_ptr<const GraphTopology> graph;
  std::shared_ptr<const DistGraphTopology> dist_graph;
};

}  // namespace starling::mpi
