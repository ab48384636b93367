// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Three ranks of which none goes on: rank 0 waits for a message that rank 2 never sends, rank 1 for the others to come
// to a barrier, rank 2 sleeps outside MPI.
#include <mpi.h>
#include <unistd.h>

int main(void) {
  MPI_Init(NULL, NULL);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int number = 0;
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
  sleep(60);
  return 0;
}
