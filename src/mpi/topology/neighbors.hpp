// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of this process in the topology of a communicator, as the neighbourhood collectives see them.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, 8.6.
#pragma once

#include "mpi/boundary/checks.hpp"
#include "mpi/boundary/objects.hpp"

namespace starling::mpi {

/// Null when the communicator has no topology. Lives as long as the communicator.
[[nodiscard]] const comm::Neighbors* neighbors_of(CommObject& comm);

/// Notes a failure when there are none.
[[nodiscard]] int require_neighbors(MPI_Comm comm);

/// How many blocks a neighbourhood collective has on a side.
[[nodiscard]] std::int32_t degree(const comm::Neighbors& neighbors, NeighborSide side) noexcept;

}  // namespace starling::mpi
