/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of the pictures (scripts/pictures): steps of an exchange with the neighbours, work, and a residual. Rank
 * 2 works longer than the others.
 *
 *   solver STEPS [hang]    with hang rank 2 works for ever in the step before the last
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCells = 4096, kWorkUs = 500 };

static int rank, size;
static MPI_Comm solver;
static double cells[kCells], halo[kCells];

static void exchange(void) {
  MPI_Sendrecv(cells, kCells, MPI_DOUBLE, (rank + 1) % size, 7, halo, kCells, MPI_DOUBLE, (rank + size - 1) % size, 7,
               solver, MPI_STATUS_IGNORE);
}

static void iterate(int for_ever) {
  do usleep(rank == 2 ? 4 * kWorkUs : kWorkUs);
  while (for_ever);
}

static void residual(void) {
  double sum = cells[rank];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, solver);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  MPI_Comm_rank(solver, &rank);
  MPI_Comm_size(solver, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  const int hangs = argc > 2 && strcmp(argv[2], "hang") == 0;
  for (int step = 1; step <= steps; ++step) {
    exchange();
    iterate(hangs && rank == 2 && step + 1 == steps);
    residual();
  }
  MPI_Finalize();
  return 0;
}
