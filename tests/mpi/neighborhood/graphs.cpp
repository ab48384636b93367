// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives on graphs: order of the neighbours, edges that stand twice, ranks without neighbours
// (MPI-5.0, 8.6).
#include <vector>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

/// What a rank sends over its i-th edge out, of `edge` edges to the same rank the `edge`-th.
int parcel(int from, int to, int edge, int place) { return value_of(from * 64 + to * 8 + edge, place); }

/// The edges of one rank of a distributed graph.
struct Edges {
  std::vector<int> sources;
  std::vector<int> destinations;
};

MPI_Comm graph_of(MPI_Comm comm, const Edges& edges) {
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm, static_cast<int>(edges.sources.size()), edges.sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(edges.destinations.size()), edges.destinations.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  return graph;
}

/// How often list[place] stands before `place`.
int nth(const std::vector<int>& list, std::size_t place) {
  int times = 0;
  for (std::size_t i = 0; i < place; ++i) times += list[i] == list[place] ? 1 : 0;
  return times;
}

/// Checks all operations on a graph whose edges this rank knows.
void check_exchange(Context& world, const Edges& edges, int count) {
  MPI_Comm graph = graph_of(world.comm, edges);
  std::vector<int> out;
  for (std::size_t i = 0; i < edges.destinations.size(); ++i) {
    for (int at = 0; at < count; ++at) {
      out.push_back(parcel(world.rank, edges.destinations[i], nth(edges.destinations, i), at));
    }
  }
  out.push_back(0);  // an address also where nothing is sent
  std::vector<int> in_expected;
  std::vector<int> all_expected;
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    for (int at = 0; at < count; ++at) {
      in_expected.push_back(parcel(edges.sources[i], world.rank, nth(edges.sources, i), at));
      all_expected.push_back(value_of(edges.sources[i], at));
    }
  }
  in_expected.push_back(-1);
  all_expected.push_back(-1);
  std::vector<int> in(in_expected.size(), -1);
  MPI_Neighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, graph);
  CHECK(in == in_expected);
  std::vector<int> all(all_expected.size(), -1);
  const std::vector<int> mine = values_of(world.rank, count);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ineighbor_allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, graph, &request);
  // The graph may be gone before the exchange is.
  MPI_Comm_free(&graph);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(all == all_expected);
}

MPI_CASE("a directed ring sends ahead and receives from behind", 1, 8) {
  const Edges edges{{(world.rank + world.size - 1) % world.size}, {(world.rank + 1) % world.size}};
  for (const int count : {0, 1, 1000, 20000}) check_exchange(world, edges, count);
}

MPI_CASE("edges that stand several times match in the order of both lists", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  const Edges edges{{previous, world.rank, previous, previous}, {next, next, world.rank, next}};
  for (const int count : {1, 1000}) check_exchange(world, edges, count);
}

MPI_CASE("a star has one rank with many neighbours and many with one", 1, 8) {
  Edges edges;
  for (int rank = 1; rank < world.size && world.rank == 0; ++rank) {
    edges.sources.push_back(world.size - rank);  // the two lists have their own orders
    edges.destinations.push_back(rank);
  }
  if (world.rank != 0) edges = {{0}, {0}};
  for (const int count : {1, 5000}) check_exchange(world, edges, count);
}

MPI_CASE("ranks without neighbours take part with nothing", 1, 8) {
  Edges edges;
  if (world.rank == 0 && world.size > 1) edges.destinations = {world.size - 1};
  if (world.rank == world.size - 1 && world.size > 1) edges.sources = {0};
  check_exchange(world, edges, 10);
}

MPI_CASE("a rank without neighbours needs no buffers, whatever its counts say", 1, 8) {
  MPI_Comm lonely = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(world.comm, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &lonely);
  CHECK_EQ(MPI_Neighbor_allgather(nullptr, 3, MPI_INT, nullptr, 3, MPI_INT, lonely), MPI_SUCCESS);
  CHECK_EQ(MPI_Neighbor_alltoall(nullptr, 3, MPI_INT, nullptr, 3, MPI_INT, lonely), MPI_SUCCESS);
  CHECK_EQ(MPI_Neighbor_allgatherv(nullptr, 3, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, lonely), MPI_SUCCESS);
  MPI_Comm_free(&lonely);
}

MPI_CASE("random graphs", 1, 8) {
  auto random = world.generator();
  for (int round = 0; round < 20; ++round) {
    Edges edges;
    for (int edge = 0; edge < 3 * world.size; ++edge) {
      const int from = static_cast<int>(random() % static_cast<std::uint64_t>(world.size));
      const int to = static_cast<int>(random() % static_cast<std::uint64_t>(world.size));
      if (from == world.rank) edges.destinations.push_back(to);
      if (to == world.rank) edges.sources.push_back(from);
    }
    check_exchange(world, edges, round * 20);
  }
}

MPI_CASE("the neighbours of MPI_Graph_create are both sources and destinations", 2, 8) {
  // A ring in both directions: first the one behind, then the one ahead.
  std::vector<int> index;
  std::vector<int> ends;
  for (int node = 0; node < world.size; ++node) {
    ends.push_back((node + world.size - 1) % world.size);
    ends.push_back((node + 1) % world.size);
    index.push_back(static_cast<int>(ends.size()));
  }
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Graph_create(world.comm, world.size, index.data(), ends.data(), 0, &ring);
  const int behind = (world.rank + world.size - 1) % world.size;
  const int ahead = (world.rank + 1) % world.size;
  int all[2] = {-1, -1};
  MPI_Neighbor_allgather(&world.rank, 1, MPI_INT, all, 1, MPI_INT, ring);
  CHECK_EQ(all[0], behind);
  CHECK_EQ(all[1], ahead);
  MPI_Comm_free(&ring);
}

}  // namespace
}  // namespace starling::tests
