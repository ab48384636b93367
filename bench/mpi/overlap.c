// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether nonblocking transfers move while rank 0 computes: 2 ranks. Rank 0 begins a transfer, computes in pieces and
// waits; between the pieces it makes no call, sends 8 bytes that have nothing to do with the transfer, or tests a
// request that has not. Source of the question: Sun HPC ClusterTools, "Sun MPI Implementation", figures.
// STARLING_PROGRESS_THREAD=1 answers it without calls.
//
// receive: messages of `size` bytes from rank 1; allreduce: one of `size` bytes. Lines, in us:
//   NAME_alone          the transfer, nobody computes
//   compute_alone       the pieces
//   NAME_calls_total    from the begin of the transfer to the end of its wait
//   NAME_calls_wait     of which the wait at the end
//   NAME_calls_peer     how long rank 1 waits for its part
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { kMessages = 8, kPieces = 20, kTag = 3, kSmallTag = 4, kNeverTag = 5, kMost = 31 };
typedef enum { kNoCalls, kSends, kTests, kWays } Calls;
static const char* const kCallNames[] = {"none", "sends", "tests"};

typedef struct {
  int rank;
  long size;
  char* buffers;
  char* result;
  long work;  // iterations of a piece
} Pair;

static double sink;

static void compute(long iterations) {
  double value = sink;
  for (long i = 0; i < iterations; ++i) value = value * 0.999 + 1e-3;
  sink = value;
}

static void finish(int count, MPI_Request* requests) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }

// Begins the transfer; returns how many requests it has.
static int begin_receive(const Pair* pair, MPI_Request* requests) {
  for (int i = 0; i < kMessages; ++i) {
    char* buffer = pair->buffers + i * pair->size;
    if (pair->rank == 0) {
      MPI_Irecv(buffer, (int)pair->size, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, &requests[i]);
    } else {
      MPI_Isend(buffer, (int)pair->size, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, &requests[i]);
    }
  }
  return kMessages;
}
static int begin_allreduce(const Pair* pair, MPI_Request* requests) {
  MPI_Iallreduce(pair->buffers, pair->result, (int)(pair->size / (long)sizeof(double)), MPI_DOUBLE, MPI_SUM,
                 MPI_COMM_WORLD, &requests[0]);
  return 1;
}
typedef int (*Begin)(const Pair*, MPI_Request*);

typedef struct {
  double total_s;
  double wait_s;
  double peer_s;
} Times;

static Times once(const Pair* pair, Begin begin, Calls calls, int computes) {
  Times times = {0, 0, 0};
  MPI_Request requests[kMessages];
  MPI_Request small[kPieces];
  int nothing = 0, there = 0;
  char letter = 'a', letters[kPieces];
  MPI_Request never = MPI_REQUEST_NULL;
  for (int i = 0; i < kPieces; ++i) small[i] = MPI_REQUEST_NULL;
  if (pair->rank == 1 && calls == kSends && computes) {
    for (int i = 0; i < kPieces; ++i) MPI_Irecv(&letters[i], 1, MPI_CHAR, 0, kSmallTag, MPI_COMM_WORLD, &small[i]);
  }
  if (pair->rank == 0 && calls == kTests) MPI_Irecv(&nothing, 1, MPI_INT, 0, kNeverTag, MPI_COMM_SELF, &never);
  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime();
  const int count = begin(pair, requests);
  if (pair->rank == 0 && computes) {
    for (int i = 0; i < kPieces; ++i) {
      compute(pair->work);
      if (calls == kSends) MPI_Send(&letter, 1, MPI_CHAR, 1, kSmallTag, MPI_COMM_WORLD);
      if (calls == kTests) MPI_Test(&never, &there, MPI_STATUS_IGNORE);
    }
  }
  const double computed = MPI_Wtime();
  finish(count, requests);
  const double ended = MPI_Wtime();
  finish(kPieces, small);
  if (never != MPI_REQUEST_NULL) {
    MPI_Send(&nothing, 1, MPI_INT, 0, kNeverTag, MPI_COMM_SELF);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
  }
  times.total_s = ended - started;
  times.wait_s = ended - computed;
  double peer = ended - started;
  MPI_Bcast(&peer, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  times.peer_s = peer;
  return times;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static void print(const char* name, const char* calls, const char* what, long size, double* values, int count) {
  char text[64];
  qsort(values, (size_t)count, sizeof *values, compare);
  snprintf(text, sizeof text, "%s_%s%s", name, calls, what);
  bench_print(text, size, values[count / 2] * 1e6, "us", values[0] * 1e6, values[count - 1] * 1e6);
}

static void measure(const char* name, Pair* pair, Begin begin, int repetitions) {
  double values[3][kMost];
  for (int i = 0; i < repetitions; ++i) values[0][i] = once(pair, begin, kNoCalls, 0).total_s;
  if (pair->rank == 0) print(name, "alone", "", pair->size, values[0], repetitions);
  for (Calls calls = kNoCalls; calls < kWays; ++calls) {
    for (int i = 0; i < repetitions; ++i) {
      const Times times = once(pair, begin, calls, 1);
      values[0][i] = times.total_s;
      values[1][i] = times.wait_s;
      values[2][i] = times.peer_s;
    }
    if (pair->rank != 0) continue;
    print(name, kCallNames[calls], "_total", pair->size, values[0], repetitions);
    print(name, kCallNames[calls], "_wait", pair->size, values[1], repetitions);
    print(name, kCallNames[calls], "_peer", pair->size, values[2], repetitions);
  }
}

int main(int argc, char** argv) {
  static const long sizes[] = {262144};
  int provided = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  const BenchOptions options = bench_options(argc, argv, sizes, 1);
  Pair pair = {0, 0, NULL, NULL, 200000};
  MPI_Comm_rank(MPI_COMM_WORLD, &pair.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    if (pair.rank == 0) fprintf(stderr, "overlap: takes 2 ranks\n");
    MPI_Finalize();
    return 2;
  }
  const int repetitions = options.repetitions < kMost ? options.repetitions : kMost;
  for (int i = 0; i < options.size_count; ++i) {
    pair.size = options.sizes[i];
    pair.buffers = bench_buffer((size_t)(kMessages * pair.size), 1);
    pair.result = bench_buffer((size_t)pair.size, 0);
    double alone[kMost];
    for (int k = 0; k < repetitions; ++k) {
      const double begin = MPI_Wtime();
      for (int piece = 0; piece < kPieces; ++piece) compute(pair.work);
      alone[k] = MPI_Wtime() - begin;
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (pair.rank == 0) print("compute", "alone", "", 0, alone, repetitions);
    measure("receive", &pair, begin_receive, repetitions);
    measure("allreduce", &pair, begin_allreduce, repetitions);
    free(pair.buffers);
    free(pair.result);
  }
  MPI_Finalize();
  return sink < 0;
}
