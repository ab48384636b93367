// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// With STARLING_PROGRESS_THREAD=1 what a rank has begun goes on while it makes no call: long messages to and from it,
// and nonblocking collectives of all. Rank 0 is outside of MPI for half a second each time; the others must not have
// to wait for its end. The operation of a reduction may be a function of the program that calls MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCount = 1 << 20, kTimes = 3 };
static const double kComputesS = 0.5;
static const double kMostS = 0.3;

static double* from;
static double* to;
static int failures;

static void check(int holds, const char* what, double value) {
  if (holds) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "mpi_computing: rank %d: %s (%g)\n", rank, what, value);
  ++failures;
}

static void compute(void) {
  const struct timespec pause = {0, (long)(kComputesS * 1e9)};
  nanosleep(&pause, NULL);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);  // which takes the lock of this rank, wherever the operation runs
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += bytes == 8 ? ((double*)in)[i] : 0;
}

static void begin(int what, int rank, int size, MPI_Op op, MPI_Request* request) {
  switch (what) {
    case 0:  // rank 0 receives
      if (rank == 0) MPI_Irecv(to, kCount, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD, request);
      if (rank == size - 1) MPI_Isend(from, kCount, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, request);
      break;
    case 1:  // rank 0 sends what nobody has room for before it is received
      if (rank == 0) MPI_Issend(from, kCount, MPI_DOUBLE, size - 1, 2, MPI_COMM_WORLD, request);
      if (rank == size - 1) MPI_Irecv(to, kCount, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, request);
      break;
    case 2: MPI_Iallreduce(from, to, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request); break;
    default: MPI_Iallreduce(from, to, kCount, MPI_DOUBLE, op, MPI_COMM_WORLD, request); break;
  }
}

int main(int argc, char** argv) {
  static const char* const kWhat[] = {"a message to rank 0", "a message from rank 0", "an allreduce",
                                      "an allreduce with a function of the program"};
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  from = malloc(kCount * sizeof *from);
  to = malloc(kCount * sizeof *to);
  for (int i = 0; i < kCount; ++i) from[i] = i % 7 + 1;
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &op);
  int level = -1;
  MPI_Query_thread(&level);
  check(level == MPI_THREAD_SINGLE, "the thread level is not that of the program", level);
  for (int what = 0; what < 4; ++what) {
    for (int time = 0; time < kTimes; ++time) {
      MPI_Request request = MPI_REQUEST_NULL;
      for (int i = 0; i < kCount; ++i) to[i] = 0;
      MPI_Barrier(MPI_COMM_WORLD);
      const double started = MPI_Wtime();
      begin(what, rank, size, op, &request);
      if (rank == 0) compute();
      const double waits_from = MPI_Wtime();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      const double ended = MPI_Wtime();
      if (rank == 0) check(ended - waits_from < kMostS, kWhat[what], ended - waits_from);
      if (rank != 0) check(ended - started < kMostS, kWhat[what], ended - started);
      const int receives = what > 1 || (what == 0 && rank == 0) || (what == 1 && rank == size - 1);
      const double times = what > 1 ? size : 1;
      if (receives)
        check(to[0] == from[0] * times && to[kCount - 1] == from[kCount - 1] * times, "a wrong value", to[0]);
    }
  }
  MPI_Op_free(&op);
  free(from);
  free(to);
  MPI_Finalize();
  return failures != 0;
}
