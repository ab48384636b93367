// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Places in a Cartesian grid. Ranks are laid out in row-major order. Thread safety: pure. Source: MPI-5.0, 8.5.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/topology/topologies.hpp"

namespace starling::mpi {

/// The rank at the coordinates; those of periodic dimensions wrap around. MPI_PROC_NULL outside the grid.
[[nodiscard]] int rank_at(const CartTopology& cart, const int* coords);

/// The rank `steps` away from this process along a dimension, or MPI_PROC_NULL.
[[nodiscard]] int rank_beside(const CartTopology& cart, std::size_t dim, int steps);

}  // namespace starling::mpi
