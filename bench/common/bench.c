// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMinRepetitions = 3, kGrowth = 4, kWarmUpShare = 5 };

const long kBenchMessageSizes[] = {0,     1,     2,       4,       8,       16,      32,      64,
                                   128,   256,   512,     1024,    2048,    4096,    8192,    16384,
                                   32768, 65536, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22};
const int kBenchMessageSizeCount = sizeof kBenchMessageSizes / sizeof kBenchMessageSizes[0];

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static BenchTimes spread_of(double* values, long count) {
  qsort(values, (size_t)count, sizeof values[0], compare_doubles);
  const BenchTimes spread = {values[count / 2], values[0], values[count - 1]};
  return spread;
}

// The time of the slowest rank, known on rank 0 of comm.
static double time_batch(MPI_Comm comm, BenchBody body, void* context, long iterations) {
  MPI_Barrier(comm);
  const double start_s = MPI_Wtime();
  body(context, iterations);
  return MPI_Wtime() - start_s;
}

typedef struct {
  long iterations;
  long repetitions;
} Plan;

// Grows the batch until it takes a visible part of the budget; rank 0 decides for all. This is the warm-up too.
static Plan warm_up(MPI_Comm comm, BenchBody body, void* context, const BenchOptions* options) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  long state[3] = {1, 0, 0};  // iterations of the batch, repetitions, finished
  double spent_s = 0.0;
  while (!state[2]) {
    const double batch_s = time_batch(comm, body, context, state[0]);
    spent_s += batch_s;
    if (rank == 0) {
      const double wanted_s = options->budget_s / options->repetitions;
      if (batch_s * kGrowth < wanted_s && spent_s * kWarmUpShare < options->budget_s) {
        state[0] *= kGrowth;
      } else {
        const double one_s = batch_s / (double)state[0];
        state[0] = one_s > 0.0 ? (long)(wanted_s / one_s) : 1;
        if (state[0] < 1) state[0] = 1;
        state[1] = (long)(options->budget_s / (one_s * (double)state[0]));
        if (state[1] > options->repetitions) state[1] = options->repetitions;
        if (state[1] < kMinRepetitions) state[1] = kMinRepetitions;
        state[2] = 1;
      }
    }
    MPI_Bcast(state, 3, MPI_LONG, 0, comm);
  }
  const Plan plan = {state[0], state[1]};
  return plan;
}

BenchTimes bench_time(MPI_Comm comm, BenchBody body, void* context, const BenchOptions* options) {
  const Plan plan = warm_up(comm, body, context, options);
  double mine_s[kBenchMaxRepetitions];
  double slowest_s[kBenchMaxRepetitions];
  for (long i = 0; i < plan.repetitions; ++i) {
    mine_s[i] = time_batch(comm, body, context, plan.iterations) / (double)plan.iterations;
    slowest_s[i] = mine_s[i];
  }
  MPI_Reduce(mine_s, slowest_s, (int)plan.repetitions, MPI_DOUBLE, MPI_MAX, 0, comm);
  return spread_of(slowest_s, plan.repetitions);
}

BenchTimes bench_ratio(MPI_Comm comm, BenchBody body, void* first, void* second, const BenchOptions* options) {
  const Plan plans[2] = {warm_up(comm, body, first, options), warm_up(comm, body, second, options)};
  double mine_s[2][kBenchMaxRepetitions];
  double slowest_s[2][kBenchMaxRepetitions];
  void* const contexts[2] = {first, second};
  for (long i = 0; i < plans[0].repetitions; ++i) {
    for (int turn = 0; turn < 2; ++turn) {
      const int which = (int)((i + turn) % 2);  // neither is always the first of a pair
      const long iterations = plans[which].iterations;
      mine_s[which][i] = time_batch(comm, body, contexts[which], iterations) / (double)iterations;
      slowest_s[which][i] = mine_s[which][i];
    }
  }
  for (int which = 0; which < 2; ++which) {
    MPI_Reduce(mine_s[which], slowest_s[which], (int)plans[0].repetitions, MPI_DOUBLE, MPI_MAX, 0, comm);
  }
  for (long i = 0; i < plans[0].repetitions; ++i) slowest_s[0][i] /= slowest_s[1][i];
  return spread_of(slowest_s[0], plans[0].repetitions);
}

void bench_print(const char* name, long size, double value, const char* unit, double min, double max) {
  printf("%s\t%ld\t%.6g\t%s\t%.6g\t%.6g\n", name, size, value, unit, min, max);
  fflush(stdout);
}

void bench_print_time(const char* name, long size, BenchTimes times, double scale, const char* unit) {
  bench_print(name, size, times.median_s * scale, unit, times.min_s * scale, times.max_s * scale);
}

void bench_print_rate(const char* name, long size, BenchTimes times, double amount, const char* unit) {
  bench_print(name, size, amount / times.median_s, unit, amount / times.max_s, amount / times.min_s);
}

void* bench_buffer(size_t bytes, int fill) {
  const size_t page = 4096;
  void* memory = aligned_alloc(page, (bytes + page) / page * page);
  if (memory == NULL) {
    fprintf(stderr, "benchmark: no memory for a buffer of %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
  }
  memset(memory, fill, bytes + 1);
  return memory;
}
