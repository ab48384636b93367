// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/neighbors.hpp"

#include "mpi/boundary/check_handles.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/topology/cart.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {
namespace {

/// For each dimension the neighbour in the negative and the one in the positive direction.
comm::Neighbors grid_neighbors(const CartTopology& cart) {
  comm::Neighbors neighbors;
  neighbors.grid = true;
  for (std::size_t dim = 0; dim < cart.dims.size(); ++dim) {
    neighbors.sources.push_back(rank_beside(cart, dim, -1));
    neighbors.sources.push_back(rank_beside(cart, dim, +1));
  }
  neighbors.destinations = neighbors.sources;
  return neighbors;
}

comm::Neighbors graph_neighbors_of(const GraphTopology& graph, int rank) {
  const std::span<const int> neighbors = neighbors_of_node(graph, rank);
  const std::vector<std::int32_t> list(neighbors.begin(), neighbors.end());
  return {list, list};
}

comm::Neighbors find_neighbors(const CommObject& comm, const Topology& topology) {
  if (topology.cart) return grid_neighbors(*topology.cart);
  if (topology.graph) return graph_neighbors_of(*topology.graph, comm.comm->rank());
  return {topology.dist_graph->sources.ranks, topology.dist_graph->destinations.ranks};
}

}  // namespace

const comm::Neighbors* neighbors_of(CommObject& comm) {
  std::unique_ptr<const comm::Neighbors>& known = comm.comm->neighbors;
  const Topology* topology = comm.topology.get();
  if (!known && topology != nullptr && (topology->cart || topology->graph || topology->dist_graph)) {
    known = std::make_unique<const comm::Neighbors>(find_neighbors(comm, *topology));
  }
  return known.get();
}

std::int32_t degree(const comm::Neighbors& neighbors, NeighborSide side) noexcept {
  const auto& list = side == NeighborSide::kSources ? neighbors.sources : neighbors.destinations;
  return static_cast<std::int32_t>(list.size());
}

int require_neighbors(MPI_Comm comm) {
  if (neighbors_of(*current()->comm(comm)) != nullptr) [[likely]]
    return MPI_SUCCESS;
  return fail(Status::error(ErrorClass::kTopology,
                            "the communicator has no topology, so it has no neighbours; make one with MPI_Cart_create, "
                            "MPI_Graph_create or MPI_Dist_graph_create"));
}

int check_neighbor_counts(MPI_Comm comm, const Displs& displs, const Counts& counts, const char* name,
                          NeighborSide side) {
  if (const int rc = require_neighbors(comm)) return rc;
  const std::int32_t blocks = degree(*neighbors_of(*current()->comm(comm)), side);
  if (blocks == 0) return MPI_SUCCESS;
  if (!counts.given()) return internal::refuse_counts(name);
  if (const int rc = check_displs(displs, "the array of displacements")) return rc;
  for (std::int32_t block = 0; block < blocks; ++block) {
    if (counts[block] < 0) return internal::refuse_count_of(block, counts[block], name);
  }
  return MPI_SUCCESS;
}

bool has_neighbors(MPI_Comm comm, NeighborSide side) {
  const comm::Neighbors* neighbors = neighbors_of(*current()->comm(comm));
  return neighbors != nullptr && degree(*neighbors, side) > 0;
}

int check_neighbor_types(MPI_Comm comm, const MPI_Datatype* types, const char* name, NeighborSide side) {
  const std::int32_t blocks = degree(*neighbors_of(*current()->comm(comm)), side);
  if (types == nullptr && blocks > 0) return internal::refuse_null(name);
  for (std::int32_t block = 0; block < blocks; ++block) {
    if (const int rc = check_committed(types[block], name)) return rc;
  }
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
