// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that never wait in MPI but test and probe in a loop. token_test and token_iprobe: a token passes round all
// ranks, microseconds for each hop (with two ranks: half a round trip). storm: each rank has a message to and from
// every other, and takes what comes by turns of Testany and Iprobe, microseconds for each exchange. overlap_...: each
// rank computes for so many microseconds and tests once, as a ratio to the computation alone.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { kTag = 5, kEndTag = 6, kMostRanks = 64 };

typedef struct {
  int rank;
  int size;
} Ring;

static void pass(int token, int to) { MPI_Send(&token, 1, MPI_INT, to, kTag, MPI_COMM_WORLD); }

static int take_by_test(int from) {
  int token = -1, there = 0;
  MPI_Request request;
  MPI_Irecv(&token, 1, MPI_INT, from, kTag, MPI_COMM_WORLD, &request);
  while (!there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  return token;
}

static int take_by_iprobe(int from) {
  int token = -1, there = 0;
  while (!there) MPI_Iprobe(from, kTag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  MPI_Recv(&token, 1, MPI_INT, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return token;
}

// One iteration is a whole round. Each rank adds 1 to the token, so that a lost or doubled one is seen.
static void go_round(const Ring* ring, long iterations, int (*take)(int from)) {
  const int right = (ring->rank + 1) % ring->size;
  const int left = (ring->rank + ring->size - 1) % ring->size;
  for (long i = 0; i < iterations; ++i) {
    if (ring->rank == 0) pass(1, right);
    const int token = take(left);
    if (ring->rank != 0) pass(token + 1, right);
    if (ring->rank == 0 && token != ring->size) {
      fprintf(stderr, "polling: the token came back as %d, not %d\n", token, ring->size);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}
static void token_test(void* context, long iterations) { go_round(context, iterations, take_by_test); }
static void token_iprobe(void* context, long iterations) { go_round(context, iterations, take_by_iprobe); }

// What has come from anybody and was not announced to a receive.
static int take_unexpected(void) {
  int there = 0, got = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kEndTag, MPI_COMM_WORLD, &there, &status);
  if (there) MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, kEndTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return there;
}

// Every rank sends each other one message that is awaited and then one that is not, and is done when it has both of
// each.
static void storm(void* context, long iterations) {
  const Ring* ring = context;
  const int others = ring->size - 1;
  int in[kMostRanks];
  const int out = ring->rank;
  for (long i = 0; i < iterations; ++i) {
    MPI_Request requests[2 * kMostRanks];
    for (int k = 0; k < others; ++k) {
      const int peer = (ring->rank + 1 + k) % ring->size;
      MPI_Irecv(&in[k], 1, MPI_INT, peer, kTag, MPI_COMM_WORLD, &requests[k]);
      MPI_Isend(&out, 1, MPI_INT, peer, kTag, MPI_COMM_WORLD, &requests[others + k]);
    }
    for (int k = 0; k < others; ++k) {
      MPI_Send(&out, 1, MPI_INT, (ring->rank + 1 + k) % ring->size, kEndTag, MPI_COMM_WORLD);
    }
    int open = 2 * others, unexpected = others;
    while (open > 0 || unexpected > 0) {
      int at = MPI_UNDEFINED, done = 0;
      if (open > 0) MPI_Testany(2 * others, requests, &at, &done, MPI_STATUS_IGNORE);
      if (done) --open;
      if (unexpected > 0 && take_unexpected()) --unexpected;
    }
  }
}

typedef struct {
  MPI_Request* pending;  // NULL: no test
  double compute_us;
  double steps_for_1us;
} Overlap;

static double compute(double steps) {
  volatile double x = 1.0;
  for (long i = 0; i < (long)steps; ++i) x = x * 0.999 + 0.001;
  return x;
}

static void overlap(void* context, long iterations) {
  const Overlap* overlap = context;
  for (long i = 0; i < iterations; ++i) {
    compute(overlap->compute_us * overlap->steps_for_1us);
    int done = 0;
    if (overlap->pending != NULL) MPI_Test(overlap->pending, &done, MPI_STATUS_IGNORE);
  }
}

// By the fastest of several tries: the others were interrupted.
static double steps_for_1us(void) {
  enum { kTries = 20, kSteps = 200000 };
  double best_s = 1.0;
  for (int i = 0; i < kTries; ++i) {
    const double start_s = MPI_Wtime();
    compute(kSteps);
    const double time_s = MPI_Wtime() - start_s;
    if (time_s < best_s) best_s = time_s;
  }
  return kSteps / (best_s * 1e6);
}

static void measure_overlap(const Ring* ring, const BenchOptions* options) {
  static const struct {
    const char* name;
    double us;
  } kSteps[] = {{"overlap_2us", 2.0}, {"overlap_20us", 20.0}, {"overlap_200us", 200.0}};
  int never = 0;
  MPI_Request pending;
  const double steps = steps_for_1us();
  for (size_t i = 0; i < sizeof kSteps / sizeof kSteps[0]; ++i) {
    if (!bench_selected(options->only, kSteps[i].name)) continue;
    MPI_Irecv(&never, 1, MPI_INT, 0, kTag, MPI_COMM_SELF, &pending);
    Overlap with = {&pending, kSteps[i].us, steps};
    Overlap without = {NULL, kSteps[i].us, steps};
    const BenchTimes ratio = bench_ratio(MPI_COMM_WORLD, overlap, &with, &without, options);
    if (ring->rank == 0) bench_print(kSteps[i].name, 0, ratio.median_s, "x", ratio.min_s, ratio.max_s);
    MPI_Cancel(&pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  Ring ring;
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, NULL, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.size);
  if (ring.size < 2 || ring.size > kMostRanks) {
    if (ring.rank == 0) fprintf(stderr, "polling: run it with 2 to %d ranks\n", kMostRanks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const struct {
    const char* name;
    BenchBody body;
    double scale;
  } kFigures[] = {{"token_test", token_test, 1e6 / ring.size},
                  {"token_iprobe", token_iprobe, 1e6 / ring.size},
                  {"storm", storm, 1e6}};
  for (size_t i = 0; i < sizeof kFigures / sizeof kFigures[0]; ++i) {
    if (!bench_selected(options.only, kFigures[i].name)) continue;
    const BenchTimes times = bench_time(MPI_COMM_WORLD, kFigures[i].body, &ring, &options);
    if (ring.rank == 0) bench_print_time(kFigures[i].name, 4, times, kFigures[i].scale, "us");
  }
  measure_overlap(&ring, &options);
  MPI_Finalize();
  return 0;
}
