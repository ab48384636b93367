/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * A C program as a user writes it: every rank adds its number to the others' and the first one tells. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("c: %d ranks, sum %d\n", size, sum);
  MPI_Finalize();
  return sum == size * (size - 1) / 2 ? 0 : 1;
}
