// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Distributed graph topologies (MPI-5.0, 8.5.4).
#include <algorithm>
#include <map>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

struct Neighborhood {
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  int weighted = -1;
};

Neighborhood neighborhood_of(MPI_Comm comm) {
  Neighborhood found;
  int in = -1;
  int out = -1;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &found.weighted);
  found.sources.resize(static_cast<std::size_t>(in), -1);
  found.source_weights.resize(static_cast<std::size_t>(in), -1);
  found.destinations.resize(static_cast<std::size_t>(out), -1);
  found.destination_weights.resize(static_cast<std::size_t>(out), -1);
  MPI_Dist_graph_neighbors(comm, in, found.sources.data(), found.source_weights.data(), out, found.destinations.data(),
                           found.destination_weights.data());
  return found;
}

int weight_of(int from, int to) { return 10 * from + to + 1; }

using Edges = std::multimap<int, int>;

Edges pairs(const std::vector<int>& ranks, const std::vector<int>& weights) {
  Edges edges;
  for (std::size_t i = 0; i < ranks.size(); ++i) edges.emplace(ranks[i], weights[i]);
  return edges;
}

/// Rank r sends to r + 1, r + 2, ... r + r % 3, around the world.
std::vector<int> destinations_of(int rank, int size) {
  std::vector<int> destinations;
  for (int i = 1; i <= rank % 3; ++i) destinations.push_back((rank + i) % size);
  return destinations;
}

std::vector<int> sources_of(int rank, int size) {
  std::vector<int> sources;
  for (int other = 0; other < size; ++other) {
    const std::vector<int> destinations = destinations_of(other, size);
    for (const int destination : destinations) {
      if (destination == rank) sources.push_back(other);
    }
  }
  return sources;
}

void check_whole(Context& world, MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  CHECK_EQ(kind, MPI_DIST_GRAPH);
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  const Neighborhood found = neighborhood_of(comm);
  CHECK_EQ(found.weighted, 1);
  Edges in;
  Edges out;
  for (const int source : sources_of(rank, world.size)) in.emplace(source, weight_of(source, rank));
  for (const int destination : destinations_of(rank, world.size))
    out.emplace(destination, weight_of(rank, destination));
  CHECK(pairs(found.sources, found.source_weights) == in);
  CHECK(pairs(found.destinations, found.destination_weights) == out);
}

MPI_CASE("MPI_Dist_graph_create_adjacent keeps each process's neighbours in their order", 1, 8) {
  const std::vector<int> sources = sources_of(world.rank, world.size);
  const std::vector<int> destinations = destinations_of(world.rank, world.size);
  std::vector<int> in_weights;
  std::vector<int> out_weights;
  for (const int source : sources) in_weights.push_back(weight_of(source, world.rank));
  for (const int destination : destinations) out_weights.push_back(weight_of(world.rank, destination));
  const int* in = sources.empty() ? MPI_WEIGHTS_EMPTY : in_weights.data();
  const int* out = destinations.empty() ? MPI_WEIGHTS_EMPTY : out_weights.data();
  for (const int reorder : {0, 1}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(world.comm, static_cast<int>(sources.size()), sources.data(), in,
                                   static_cast<int>(destinations.size()), destinations.data(), out, MPI_INFO_NULL,
                                   reorder, &comm);
    check_whole(world, comm);
    if (reorder == 0) CHECK(neighborhood_of(comm).sources == sources);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&comm);
    check_whole(world, copy);
    MPI_Comm_free(&copy);
  }
}

MPI_CASE("MPI_Dist_graph_create takes edges from whoever names them", 1, 8) {
  // Rank r names the edges of r + 1; the last rank names those of rank 0 and nobody else's twice.
  const int named = (world.rank + 1) % world.size;
  const std::vector<int> destinations = destinations_of(named, world.size);
  std::vector<int> weights;
  for (const int destination : destinations) weights.push_back(weight_of(named, destination));
  const int degree = static_cast<int>(destinations.size());
  for (const int reorder : {0, 1}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create(world.comm, 1, &named, &degree, destinations.data(),
                          degree == 0 ? MPI_WEIGHTS_EMPTY : weights.data(), MPI_INFO_NULL, reorder, &comm);
    check_whole(world, comm);
    MPI_Comm_free(&comm);
  }
}

MPI_CASE("one process may name every edge", 1, 8) {
  std::vector<int> sources;
  std::vector<int> degrees;
  std::vector<int> destinations;
  std::vector<int> weights;
  for (int rank = 0; rank < world.size && world.rank == world.size - 1; ++rank) {
    const std::vector<int> of_rank = destinations_of(rank, world.size);
    sources.push_back(rank);
    degrees.push_back(static_cast<int>(of_rank.size()));
    for (const int destination : of_rank) {
      destinations.push_back(destination);
      weights.push_back(weight_of(rank, destination));
    }
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create(world.comm, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                        destinations.data(), weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data(), MPI_INFO_NULL, 0,
                        &comm);
  check_whole(world, comm);
  MPI_Comm_free(&comm);
}

MPI_CASE("a graph without weights has none, and may be asked for none", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int one = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create(world.comm, 1, &world.rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  const Neighborhood found = neighborhood_of(comm);
  CHECK_EQ(found.weighted, 0);
  CHECK(found.destinations == std::vector<int>{next});
  CHECK(found.source_weights == std::vector<int>{-1});
  int source = -1;
  int destination = -1;
  MPI_Dist_graph_neighbors(comm, 1, &source, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED);
  CHECK_EQ(source, (world.rank + world.size - 1) % world.size);
  CHECK_EQ(destination, next);
  MPI_Comm_free(&comm);
}

MPI_CASE("an edge may be there several times, and lead to its own vertex", 1, 8) {
  const int ranks[] = {world.rank, world.rank, (world.rank + 1) % world.size};
  const int from[] = {(world.rank + world.size - 1) % world.size, world.rank, world.rank};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(world.comm, 3, from, MPI_UNWEIGHTED, 3, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  const Neighborhood found = neighborhood_of(comm);
  CHECK(std::equal(found.sources.begin(), found.sources.end(), from, from + 3));
  CHECK(std::equal(found.destinations.begin(), found.destinations.end(), ranks, ranks + 3));
  MPI_Comm_free(&comm);
}

MPI_CASE("distributed graphs that cannot be are refused", 1, 4) {
  const ReturnErrors quiet;
  MPI_Comm comm = MPI_COMM_NULL;
  const int outside = world.size;
  const int negative = -1;
  const int one = 1;
  const int zero = 0;
  CHECK_EQ(
      class_of(MPI_Dist_graph_create(world.comm, 1, &outside, &one, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm)),
      MPI_ERR_RANK);
  CHECK_EQ(
      class_of(MPI_Dist_graph_create(world.comm, 1, &zero, &one, &outside, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm)),
      MPI_ERR_RANK);
  CHECK_EQ(
      class_of(MPI_Dist_graph_create(world.comm, 1, &zero, &negative, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm)),
      MPI_ERR_COUNT);
  CHECK_EQ(class_of(MPI_Dist_graph_create(world.comm, 1, &zero, &one, &zero, &negative, MPI_INFO_NULL, 0, &comm)),
           MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Dist_graph_create_adjacent(world.comm, 1, &outside, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                                   MPI_INFO_NULL, 0, &comm)),
           MPI_ERR_RANK);
  int in = 0;
  int out = 0;
  int weighted = 0;
  CHECK_EQ(class_of(MPI_Dist_graph_neighbors_count(world.comm, &in, &out, &weighted)), MPI_ERR_TOPOLOGY);
}

}  // namespace
}  // namespace starling::tests
