// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies (MPI-5.0, 8.5.3).
#include <algorithm>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// A ring of n nodes in which node 0 also knows itself.
struct Ring {
  explicit Ring(int nodes) {
    for (int node = 0; node < nodes; ++node) {
      edges.push_back((node + nodes - 1) % nodes);
      edges.push_back((node + 1) % nodes);
      if (node == 0) edges.push_back(0);
      index.push_back(static_cast<int>(edges.size()));
    }
  }
  [[nodiscard]] std::vector<int> of(int node) const {
    const int begin = node == 0 ? 0 : index[static_cast<std::size_t>(node) - 1];
    return {edges.begin() + begin, edges.begin() + index[static_cast<std::size_t>(node)]};
  }
  std::vector<int> index;
  std::vector<int> edges;
};

int kind_of(MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  return kind;
}

std::vector<int> neighbors_of(MPI_Comm comm, int rank) {
  int count = -1;
  MPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> neighbors(static_cast<std::size_t>(count), -1);
  MPI_Graph_neighbors(comm, rank, count, neighbors.data());
  return neighbors;
}

MPI_CASE("MPI_Graph_create keeps the graph whole on every process", 1, 8) {
  for (const int reorder : {0, 1}) {
    const Ring ring(world.size);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Graph_create(world.comm, world.size, ring.index.data(), ring.edges.data(), reorder, &comm);
    CHECK_EQ(kind_of(comm), MPI_GRAPH);
    int nodes = -1;
    int edges = -1;
    MPI_Graphdims_get(comm, &nodes, &edges);
    CHECK_EQ(nodes, world.size);
    CHECK_EQ(edges, 2 * world.size + 1);
    std::vector<int> index(static_cast<std::size_t>(nodes));
    std::vector<int> all(static_cast<std::size_t>(edges));
    MPI_Graph_get(comm, nodes, edges, index.data(), all.data());
    CHECK(index == ring.index);
    CHECK(all == ring.edges);
    for (int rank = 0; rank < nodes; ++rank) CHECK(neighbors_of(comm, rank) == ring.of(rank));
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    CHECK_EQ(kind_of(copy), MPI_GRAPH);
    MPI_Comm_free(&comm);
    CHECK(neighbors_of(copy, 0) == ring.of(0));
    MPI_Comm_free(&copy);
  }
}

MPI_CASE("processes beyond the nodes of a graph get no communicator", 1, 8) {
  for (int nodes = 0; nodes < world.size; ++nodes) {
    const Ring ring(nodes);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Graph_create(world.comm, nodes, ring.index.data(), ring.edges.data(), nodes % 2, &comm);
    CHECK_EQ(comm == MPI_COMM_NULL, world.rank >= nodes);
    int place = -1;
    MPI_Graph_map(world.comm, nodes, ring.index.data(), ring.edges.data(), &place);
    CHECK_EQ(place == MPI_UNDEFINED, world.rank >= nodes);
    if (comm == MPI_COMM_NULL) continue;
    int size = 0;
    MPI_Comm_size(comm, &size);
    CHECK_EQ(size, nodes);
    MPI_Comm_free(&comm);
  }
}

MPI_CASE("what is asked for less is cut off", 1, 4) {
  const Ring ring(world.size);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Graph_create(world.comm, world.size, ring.index.data(), ring.edges.data(), 0, &comm);
  int values[3] = {-9, -9, -9};
  MPI_Graph_neighbors(comm, 0, 1, values);
  CHECK_EQ(values[0], ring.edges[0]);
  CHECK_EQ(values[1], -9);
  MPI_Graph_get(comm, 1, 2, &values[2], values);
  CHECK_EQ(values[2], ring.index[0]);
  CHECK_EQ(values[1], ring.edges[1]);
  MPI_Comm_free(&comm);
}

MPI_CASE("graphs that cannot be are refused", 2, 4) {
  const ReturnErrors quiet;
  MPI_Comm comm = MPI_COMM_NULL;
  const int rising[] = {1, 2};
  const int falling[] = {2, 1};
  const int edges[] = {1, 0};
  const int outside[] = {1, 2};
  CHECK_EQ(class_of(MPI_Graph_create(world.comm, 2, falling, edges, 0, &comm)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Graph_create(world.comm, 2, rising, outside, 0, &comm)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Graph_create(world.comm, -1, rising, edges, 0, &comm)), MPI_ERR_ARG);
  const Ring large(world.size + 1);
  CHECK_EQ(class_of(MPI_Graph_create(world.comm, world.size + 1, large.index.data(), large.edges.data(), 0, &comm)),
           MPI_ERR_ARG);
  int count = 0;
  CHECK_EQ(class_of(MPI_Graph_neighbors_count(world.comm, 0, &count)), MPI_ERR_TOPOLOGY);
  CHECK_EQ(class_of(MPI_Graphdims_get(world.comm, &count, &count)), MPI_ERR_TOPOLOGY);
  MPI_Graph_create(world.comm, 2, rising, edges, 0, &comm);
  if (comm != MPI_COMM_NULL) {
    CHECK_EQ(class_of(MPI_Graph_neighbors_count(comm, 2, &count)), MPI_ERR_RANK);
    CHECK_EQ(class_of(MPI_Cartdim_get(comm, &count)), MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&comm);
  }
}

}  // namespace
}  // namespace starling::tests
