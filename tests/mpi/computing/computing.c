// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// With STARLING_PROGRESS_THREAD=1 what a rank has begun goes on while it makes no call: long messages to and from it,
// and nonblocking collectives of all. Rank 0 is outside of MPI for half a second each time; the others must not have
// to wait for its end. On a busy machine all of it may take that long by itself: then rank 0 is outside for longer. The
// operation of a reduction may be a function of the program that calls MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCount = 1 << 20, kTimes = 3, kTries = 4 };
static const double kComputesS = 0.5;
static const double kMostPart = 0.6;  // of that time

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

static void compute(double seconds) {
  const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
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

/// How long this rank waited: rank 0 after it has computed, others from the beginning.
static double go_once(int what, double computes_s, MPI_Op op) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < kCount; ++i) to[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double waits_from = MPI_Wtime();
  begin(what, rank, size, op, &request);
  if (rank == 0) {
    compute(computes_s);
    waits_from = MPI_Wtime();
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double took_s = MPI_Wtime() - waits_from;
  const int receives = what > 1 || (what == 0 && rank == 0) || (what == 1 && rank == size - 1);
  const double times = what > 1 ? size : 1;
  if (receives) check(to[0] == from[0] * times && to[kCount - 1] == from[kCount - 1] * times, "a wrong value", to[0]);
  return took_s;
}

static int all_in_time(double took_s, double computes_s) {
  int in_time = took_s < kMostPart * computes_s;
  MPI_Allreduce(MPI_IN_PLACE, &in_time, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return in_time;
}

int main(int argc, char** argv) {
  static const char* const kWhat[] = {"a message to rank 0", "a message from rank 0", "an allreduce",
                                      "an allreduce with a function of the program"};
  MPI_Init(&argc, &argv);
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
      double computes_s = kComputesS;
      double took_s = go_once(what, computes_s, op);
      for (int try = 1; try < kTries && !all_in_time(took_s, computes_s); ++try) {
        computes_s *= 2;
        took_s = go_once(what, computes_s, op);
      }
      check(took_s < kMostPart * computes_s, kWhat[what], took_s);
    }
  }
  MPI_Op_free(&op);
  free(from);
  free(to);
  MPI_Finalize();
  return failures != 0;
}
