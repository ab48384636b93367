// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of this process in the topology of a communicator, as the neighbourhood collectives see them.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, 8.6.
#pragma once

#include "mpi/boundary/counts.hpp"
#include "mpi/boundary/objects.hpp"

namespace starling::mpi {

enum class NeighborSide { kSources, kDestinations };  ///< a block from each source, or one for each destination

/// Null when the communicator has no topology. Lives as long as the communicator.
[[nodiscard]] const comm::Neighbors* neighbors_of(CommObject& comm);

/// Notes a failure when there are none.
[[nodiscard]] int require_neighbors(MPI_Comm comm);

/// How many blocks a neighbourhood collective has on a side.
[[nodiscard]] std::int32_t degree(const comm::Neighbors& neighbors, NeighborSide side) noexcept;

// The boundary's checks for this chapter; each notes the failure and returns its class.

/// The blocks of a neighbourhood collective, one for each neighbour of the side. MPI_ERR_TOPOLOGY.
[[nodiscard]] int check_neighbor_counts(MPI_Comm comm, const Displs& displs, const Counts& counts, const char* name,
                                        NeighborSide side);
[[nodiscard]] int check_neighbor_types(MPI_Comm comm, const MPI_Datatype* types, const char* name, NeighborSide side);
/// Whether there is anybody on that side; nobody where there is no topology.
[[nodiscard]] bool has_neighbors(MPI_Comm comm, NeighborSide side);

}  // namespace starling::mpi
