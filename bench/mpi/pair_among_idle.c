// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Latency of two ranks that talk while every other rank waits in a barrier: what waiting ranks cost the working ones.
// Where the waiting ranks take processor time, messages come in bursts between time slices; so each repetition lasts a
// fixed time, many slices long, and counts its round trips.
#include <mpi.h>
#include <stdlib.h>

#include "bench.h"
#include "pair.h"

enum { kTag = 4, kRepetitions = 5, kGoOn = 1, kStop = 2 };

static const double kRepetition_s = 0.4;
static const double kClockCheck_s =
    0.001;  // how often the clock is read, about; reading it each time would cost too much

// Rank 0 of the pair: ping-pong until the time is over. The first byte tells the peer when to stop.
static double talk(const Pair* pair, char* out, char* in, int size) {
  const double start_s = MPI_Wtime();
  double checked_s = start_s;
  long trips = 0;
  long until_check = 1;
  long stride = 1;
  out[0] = kGoOn;
  while (out[0] == kGoOn) {
    if (--until_check == 0) {
      const double now_s = MPI_Wtime();
      if (now_s - checked_s < kClockCheck_s) stride *= 2;
      if (now_s - checked_s > 4 * kClockCheck_s && stride > 1) stride /= 2;
      if (now_s - start_s > kRepetition_s) out[0] = kStop;
      checked_s = now_s;
      until_check = stride;
    }
    MPI_Send(out, size, MPI_CHAR, pair->peer, kTag, pair->comm);
    MPI_Recv(in, size, MPI_CHAR, pair->peer, kTag, pair->comm, MPI_STATUS_IGNORE);
    ++trips;
  }
  return (MPI_Wtime() - start_s) / (double)trips;
}

static void answer(const Pair* pair, char* in, int size) {
  do {
    MPI_Recv(in, size, MPI_CHAR, pair->peer, kTag, pair->comm, MPI_STATUS_IGNORE);
    MPI_Send(in, size, MPI_CHAR, pair->peer, kTag, pair->comm);
  } while (in[0] == kGoOn);
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

// The first repetition is the warm-up, in which the other ranks reach their barrier.
static void measure(const Pair* pair, char* out, char* in, int size) {
  double trip_s[kRepetitions + 1];
  for (int i = 0; i <= kRepetitions; ++i) {
    if (pair->rank == 0) {
      trip_s[i] = talk(pair, out, in, size);
    } else {
      answer(pair, in, size);
    }
  }
  if (pair->rank != 0) return;
  qsort(trip_s + 1, kRepetitions, sizeof trip_s[0], compare_doubles);
  const BenchTimes times = {trip_s[1 + kRepetitions / 2], trip_s[1], trip_s[kRepetitions]};
  bench_print_time("pair_among_idle", size, times, 0.5e6, "us");
}

int main(int argc, char** argv) {
  const long sizes[] = {8};
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, 1);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    char* out = bench_buffer(kBenchMaxMessage, 0);
    char* in = bench_buffer(kBenchMaxMessage, 0);
    for (int i = 0; i < options.size_count; ++i) {
      if (options.sizes[i] > 0) measure(&pair, out, in, (int)options.sizes[i]);
    }
    free(out);
    free(in);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
