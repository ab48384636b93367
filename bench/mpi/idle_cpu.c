// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What waiting costs: the last rank sleeps before a barrier while the others wait in it; the processor time of all
// ranks together, in seconds.
#include <mpi.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void sleep_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, NULL, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double before_s = cpu_seconds();
  if (rank == size - 1) sleep_for(options.wait_s);
  MPI_Barrier(MPI_COMM_WORLD);
  const double mine_s = cpu_seconds() - before_s;

  double sum_s = mine_s;
  double min_s = mine_s;
  double max_s = mine_s;
  MPI_Reduce(&mine_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine_s, &min_s, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine_s, &max_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  // The smallest and largest are those of single ranks.
  if (rank == 0) bench_print("idle_cpu", 0, sum_s, "CPU-s", min_s, max_s);
  MPI_Finalize();
  return 0;
}
