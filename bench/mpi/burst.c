// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What buffers and protocols do to a sender. late: rank 0 sends 16 messages of `size` bytes to rank 1, which computes
// for 10 ms before it receives; the time until all sends have returned, in us. A sender that needs no coordination is
// done at once. reverse: rank 1 receives 16 messages of `size` bytes in the opposite order of their sends; the time
// until all have come, in us. Source: Sun HPC ClusterTools, "Sun MPI Implementation", Performance Considerations.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { kMessages = 16, kMost = 101 };
static const double kComputesS = 0.01;

static void compute(double seconds) {
  const double until = MPI_Wtime() + seconds;
  while (MPI_Wtime() < until) continue;
}

// Seconds at rank 0.
static double late(int rank, long size, char* buffers) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) {
    for (int i = 0; i < kMessages; ++i) MPI_Send(buffers + i * size, (int)size, MPI_CHAR, 1, i, MPI_COMM_WORLD);
  }
  const double sent = MPI_Wtime();
  if (rank == 1) {
    compute(kComputesS);
    for (int i = 0; i < kMessages; ++i) {
      MPI_Recv(buffers + i * size, (int)size, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return sent - begin;
}

// Seconds of the pair.
static double reverse(int rank, long size, char* buffers) {
  MPI_Request requests[kMessages];
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) {
    for (int i = 0; i < kMessages; ++i) {
      MPI_Isend(buffers + i * size, (int)size, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    for (int i = kMessages; i-- > 0;) {
      MPI_Recv(buffers + i * size, (int)size, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  double took = MPI_Wtime() - begin;
  MPI_Bcast(&took, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return took;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(const char* name, double (*body)(int, long, char*), int rank, long size, char* buffers,
                    int repetitions) {
  double values[kMost];
  body(rank, size, buffers);
  for (int i = 0; i < repetitions; ++i) values[i] = body(rank, size, buffers);
  qsort(values, (size_t)repetitions, sizeof *values, compare);
  if (rank == 0)
    bench_print(name, size, values[repetitions / 2] * 1e6, "us", values[0] * 1e6, values[repetitions - 1] * 1e6);
}

int main(int argc, char** argv) {
  static const long sizes[] = {1024, 8192, 65536, 262144};
  int rank = 0;
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, 4);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = options.repetitions < kMost ? options.repetitions : kMost;
  for (int i = 0; i < options.size_count; ++i) {
    char* buffers = bench_buffer((size_t)(kMessages * options.sizes[i]), 1);
    measure("late", late, rank, options.sizes[i], buffers, repetitions);
    measure("reverse", reverse, rank, options.sizes[i], buffers, repetitions);
    free(buffers);
  }
  MPI_Finalize();
  return 0;
}
