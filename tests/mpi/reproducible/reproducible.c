/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * In the reproducible mode an element's sum has the same bits in every call, whatever the length of the vector that it
 * is a part of, its place in it, the call that sums it and the ranks' order of arrival. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongest = 100000, kTriple = 3 };

static int wrong = 0;

/* Numbers of very different sizes, so that another order gives another sum. */
static double number(int rank) {
  static const double scale[] = {1e16, 1.0, -1e16, 3.0, 1e8, -0.1, 7e-9, 1e15};
  return scale[rank % 8] * (1.0 + rank / 8);
}

static void compare(const char* what, int length, const double* sums, double expected) {
  for (int i = 0; i < length; ++i) {
    if (memcmp(&sums[i], &expected, sizeof expected) == 0) continue;
    fprintf(stderr, "%s of %d: element %d is %.17g instead of %.17g\n", what, length, i, sums[i], expected);
    wrong++;
    return;
  }
}

/* The ranks come late in turn. */
static void arrive(int rank, int round) {
  const double until = MPI_Wtime() + 1e-4 * ((rank + round) % kTriple);
  while (MPI_Wtime() < until) continue;
}

int main(void) {
  static const int lengths[] = {1, 2, 7, 64, 1000, 4097, 30000, kLongest};
  int rank = -1, size = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* mine = malloc(kLongest * sizeof *mine);
  double* sums = malloc(kLongest * sizeof *sums);
  for (int i = 0; i < kLongest; ++i) mine[i] = number(rank);
  double expected = 0;
  MPI_Allreduce(mine, &expected, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < (int)(sizeof lengths / sizeof lengths[0]); ++i) {
    const int length = lengths[i];
    for (int round = 0; round < kTriple; ++round) {
      MPI_Request request = MPI_REQUEST_NULL;
      arrive(rank, round);
      MPI_Allreduce(mine, sums, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      compare("MPI_Allreduce", length, sums, expected);
      arrive(rank, round + 1);
      MPI_Iallreduce(mine, sums, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      compare("MPI_Iallreduce", length, sums, expected);
      arrive(rank, round);
      MPI_Reduce(mine, sums, length, MPI_DOUBLE, MPI_SUM, round % size, MPI_COMM_WORLD);
      if (rank == round % size) compare("MPI_Reduce", length, sums, expected);
      arrive(rank, round + 2);
      MPI_Reduce_scatter_block(mine, sums, length / size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      compare("MPI_Reduce_scatter_block", length / size, sums, expected);
    }
  }
  free(sums);
  free(mine);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
