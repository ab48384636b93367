/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * As many messages of 8 bytes to itself as it is told, from C: message_f08.f90, message_mpi.f90 and message_mpif.f do
 * the same, and instructions.py counts. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int messages = argc > 1 ? atoi(argv[1]) : 0;
  double sent = 1;
  double got = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < messages; ++i) {
    MPI_Send(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
    MPI_Recv(&got, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return messages > 0 && got != 1;
}
