// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A job of two that goes on: rank 1 dies, and rank 0 sees that its error tells of a death.
#include <mpi.h>

#include <csignal>
#include <cstdio>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"

namespace any_mpi = starling::any_mpi;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  any_mpi::return_errors(MPI_COMM_WORLD);
  if (any_mpi::rank_of(MPI_COMM_WORLD) == 1) std::raise(SIGKILL);
  const int code = MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const bool good = any_mpi::survives_failures(MPI_COMM_WORLD) && any_mpi::is_process_failure(code);
  if (!good) std::printf("the receive ended with: %s\n", any_mpi::error_text(code).c_str());
  MPI_Finalize();
  return good ? 0 : 1;
}
