// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time of each collective operation on the world, by size of one rank's block. The roots take turns, so that no rank
// runs ahead of the others and a call's time is its latency; with --root=first rank 0 is the root of every call, as in
// most programs, and may run ahead as far as the library lets it. The time is that of the slowest rank. The answer of
// each operation is checked for each size.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "operations.h"

enum { kMaxBufferBytes = 64 << 20, kWarmBudgets = 4 };

typedef struct {
  const Operation* operation;
  Collective call;
  long turn;
  long turns;  // how far it goes on with each call
} Test;

static void body(void* context, long iterations) {
  Test* test = context;
  for (long i = 0; i < iterations; ++i) {
    test->operation->run(&test->call, (int)(test->turn % test->call.ranks));
    test->turn += test->turns;
  }
}

static int out_blocks(const Operation* o, int ranks) { return o->sends_block_to_each ? ranks : 1; }
static int in_blocks(const Operation* o, int ranks) { return o->receives_block_from_each ? ranks : 1; }

static void fill(const Test* test) {
  const Collective* c = &test->call;
  for (int block = 0; block < out_blocks(test->operation, c->ranks); ++block) {
    for (int i = 0; i < c->count; ++i) c->out[(long)block * c->count + i] = test->operation->sent(c->rank, block);
  }
}

static void place_blocks(Collective* c) {
  c->counts = bench_buffer(sizeof(int) * (size_t)c->ranks, 0);
  c->places = bench_buffer(sizeof(int) * (size_t)c->ranks, 0);
  for (int rank = 0; rank < c->ranks; ++rank) {
    c->counts[rank] = c->count;
    c->places[rank] = rank * c->count;
  }
}

static void check(const Test* test) {
  const Collective* c = &test->call;
  const int blocks = in_blocks(test->operation, c->ranks);
  memset(c->in, 0, sizeof(double) * (size_t)blocks * (size_t)c->count);
  test->operation->run(c, 0);
  for (int block = 0; block < blocks; ++block) {
    const double expected = test->operation->expected(c->rank, block, c->ranks);
    for (int i = 0; i < c->count; ++i) {
      const double got = c->in[(long)block * c->count + i];
      if (got == expected) continue;
      fprintf(stderr, "%s of %d doubles: rank %d, block %d, element %d is %g, not %g; the figures would mean nothing\n",
              test->operation->name, c->count, c->rank, block, i, got, expected);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
}

// Each rank is the root once, so that connections that the first calls open are not measured; where a call takes long,
// as with busy waits of more ranks than cores, only some are. Rank 0 decides for all.
static void warm_roots(Test* test, const BenchOptions* options) {
  const double start_s = MPI_Wtime();
  int goes_on = 1;
  for (int i = 0; i < test->call.ranks && goes_on; ++i) {
    body(test, 1);
    goes_on = MPI_Wtime() - start_s < kWarmBudgets * options->budget_s;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void measure(Test* test, const BenchOptions* options, long bytes) {
  warm_roots(test, options);
  const BenchTimes times = bench_time(MPI_COMM_WORLD, body, test, options);
  if (test->operation->has_data) check(test);
  if (test->call.rank == 0) bench_print_time(test->operation->name, bytes, times, 1e6, "us");
}

static void sweep(Test* test, const BenchOptions* options) {
  const Operation* operation = test->operation;
  Collective* c = &test->call;
  for (int i = 0; i < options->size_count; ++i) {
    const long bytes = options->sizes[i];
    const long out_bytes = bytes * out_blocks(operation, c->ranks);
    const long in_bytes = bytes * in_blocks(operation, c->ranks);
    if (bytes % (long)sizeof(double) != 0 || out_bytes > kMaxBufferBytes || in_bytes > kMaxBufferBytes) {
      if (c->rank == 0)
        printf("# %s: %ld bytes left out (no whole doubles, or too much memory)\n", operation->name, bytes);
      continue;
    }
    c->count = (int)(bytes / (long)sizeof(double));
    c->out = bench_buffer((size_t)out_bytes, 0);
    c->in = bench_buffer((size_t)in_bytes, 0);
    fill(test);
    place_blocks(c);
    measure(test, options, bytes);
    free(c->out);
    free(c->in);
    free(c->counts);
    free(c->places);
  }
}

int main(int argc, char** argv) {
  const long sizes[] = {8, 64, 512, 4096, 32768, 65536, 262144, 1048576};
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, sizeof sizes / sizeof sizes[0]);
  for (int i = 0; i < kOperationCount; ++i) {
    if (!bench_selected(options.only, kOperations[i].name)) continue;
    Test test = {.operation = &kOperations[i], .turn = 0, .turns = options.first_is_root ? 0 : 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &test.call.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test.call.ranks);
    if (kOperations[i].has_data) {
      sweep(&test, &options);
    } else {
      measure(&test, &options, 0);
    }
  }
  MPI_Finalize();
  return 0;
}
