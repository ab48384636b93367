// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a communicator is: this process's rank in it, how many it has, whether it has two sides.
//
// **Thread safety**: any thread. **Source**: MPI-5.0, 7.4.1 and 7.6.1.
#pragma once

#include <mpi.h>

namespace starling::any_mpi {

/// MPI_UNDEFINED where MPI refuses the communicator.
inline int rank_of(MPI_Comm comm) {
  int rank = MPI_UNDEFINED;
  return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS ? rank : MPI_UNDEFINED;
}

/// Of an intercommunicator, the processes on this one's side. 0 where MPI refuses the communicator.
inline int size_of(MPI_Comm comm) {
  int size = 0;
  return PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

/// False where MPI refuses the communicator.
inline bool is_intercommunicator(MPI_Comm comm) {
  int is_inter = 0;
  return PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && is_inter != 0;
}

}  // namespace starling::any_mpi
