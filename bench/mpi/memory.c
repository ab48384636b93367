// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of each rank as its proportional set size, in KiB: at rest after MPI_Init, and after an exchange with both
// neighbours in the ring and a barrier. The value is the largest of the ranks; the smallest and the largest follow.
// Source: proc(5), smaps_rollup: Pss counts each shared page divided by the number of processes that map it.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "bench.h"

static long pss_kib(void) {
  char line[256];
  long kib = -1;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) return kib;
  while (kib < 0 && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Pss: %ld kB", &kib) != 1) kib = -1;
  }
  fclose(file);
  return kib;
}

// Waits without any communication, so that every rank is there, and at rest, when one reads its size.
static void settle(void) {
  const struct timespec time = {0, 500 * 1000 * 1000};
  nanosleep(&time, NULL);
}

static void report(const char* name, long kib, int rank) {
  long min = kib;
  long max = kib;
  MPI_Reduce(&kib, &min, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&kib, &max, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  if (min < 0) {
    printf("# %s: /proc/self/smaps_rollup could not be read\n", name);
  } else {
    bench_print(name, 0, (double)max, "KiB", (double)min, (double)max);
  }
}

int main(int argc, char** argv) {
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  bench_options(argc, argv, NULL, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  settle();
  const long at_rest = pss_kib();
  settle();

  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  int received = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &received, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&rank, 1, MPI_INT, left, 0, &received, 1, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  settle();
  const long exchanged = pss_kib();
  settle();

  report("memory_at_rest", at_rest, rank);
  report("memory_exchanged", exchanged, rank);
  MPI_Finalize();
  return 0;
}
