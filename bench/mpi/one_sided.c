// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided accesses of rank 0 to the memory of rank 1, which only waits: the time of a call with its flush, in an
// epoch that locks the target; of put_stream the time of one put where a flush follows 64. "shared_" figures are of a
// window that MPI_Win_allocate made, "private_" ones of memory that the program had before (MPI_Win_create).
// "latency_beside_window" is the two-sided latency while such a window exists: what one-sided communication costs those
// who send messages.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "pair.h"

enum { kTarget = 1, kLargest = 1 << 20, kStream = 64 };

typedef struct {
  MPI_Win win;
  char* mine;
  int is_origin;
  int size;
} OneSided;

static void put(void* context, long iterations) {
  const OneSided* o = context;
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    MPI_Put(o->mine, o->size, MPI_BYTE, kTarget, 0, o->size, MPI_BYTE, o->win);
    MPI_Win_flush(kTarget, o->win);
  }
}

static void put_stream(void* context, long iterations) {
  const OneSided* o = context;
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    const long place = (long)o->size * kStream <= kBenchMaxMessage ? i % kStream * o->size : 0;
    MPI_Put(o->mine, o->size, MPI_BYTE, kTarget, place, o->size, MPI_BYTE, o->win);
    if (i % kStream == kStream - 1 || i == iterations - 1) MPI_Win_flush(kTarget, o->win);
  }
}

static void get(void* context, long iterations) {
  const OneSided* o = context;
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    MPI_Get(o->mine, o->size, MPI_BYTE, kTarget, 0, o->size, MPI_BYTE, o->win);
    MPI_Win_flush(kTarget, o->win);
  }
}

static void accumulate(void* context, long iterations) {
  const OneSided* o = context;
  const int count = o->size / (int)sizeof(double);
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    MPI_Accumulate(o->mine, count, MPI_DOUBLE, kTarget, 0, count, MPI_DOUBLE, MPI_SUM, o->win);
    MPI_Win_flush(kTarget, o->win);
  }
}

static void fetch_and_op(void* context, long iterations) {
  const OneSided* o = context;
  const long long one = 1;
  long long old = 0;
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    MPI_Fetch_and_op(&one, &old, MPI_LONG_LONG, kTarget, 0, MPI_SUM, o->win);
    MPI_Win_flush(kTarget, o->win);
  }
}

static void compare_and_swap(void* context, long iterations) {
  const OneSided* o = context;
  const long long one = 1;
  long long expected = 0;
  long long old = 0;
  for (long i = 0; o->is_origin && i < iterations; ++i) {
    expected = old;
    MPI_Compare_and_swap(&one, &expected, &old, MPI_LONG_LONG, kTarget, 0, o->win);
    MPI_Win_flush(kTarget, o->win);
  }
}

static const struct {
  const char* name;
  BenchBody body;
  int sized;
} kAccesses[] = {{"put", put, 1},
                 {"put_stream", put_stream, 1},
                 {"get", get, 1},
                 {"accumulate", accumulate, 1},
                 {"fetch_and_op", fetch_and_op, 0},
                 {"compare_and_swap", compare_and_swap, 0}};
enum { kAccessCount = sizeof kAccesses / sizeof kAccesses[0], kWord = sizeof(long long) };

static void time_window(const char* prefix, MPI_Comm comm, OneSided* context, const BenchOptions* options) {
  MPI_Win_lock_all(0, context->win);
  for (int a = 0; a < kAccessCount; ++a) {
    for (int i = 0; i < options->size_count; ++i) {
      if (!kAccesses[a].sized && options->sizes[i] != kWord) continue;
      char name[64] = "";
      strcat(strcat(name, prefix), kAccesses[a].name);
      if (!bench_selected(options->only, name)) continue;
      context->size = (int)options->sizes[i];
      const BenchTimes times = bench_time(comm, kAccesses[a].body, context, options);
      if (context->is_origin) bench_print_time(name, options->sizes[i], times, 1e9, "ns");
    }
  }
  MPI_Win_unlock_all(context->win);
  MPI_Win_free(&context->win);
}

static void time_messages(const Pair* pair, const BenchOptions* options) {
  char out[kWord] = "";
  char in[kWord] = "";
  PingPong context = {pair, out, in, kWord};
  if (!bench_selected(options->only, "latency_beside_window")) return;
  const BenchTimes times = bench_time(pair->comm, ping_pong, &context, options);
  if (pair->rank == 0) bench_print_time("latency_beside_window", kWord, times, 0.5e6, "us");
}

int main(int argc, char** argv) {
  const long sizes[] = {8, 1024, 65536, kLargest};
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, sizeof sizes / sizeof sizes[0]);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    OneSided context = {MPI_WIN_NULL, bench_buffer(kBenchMaxMessage, 0), pair.rank == 0, 0};
    char* memory = NULL;
    MPI_Win_allocate(kBenchMaxMessage, 1, MPI_INFO_NULL, pair.comm, &memory, &context.win);
    memset(memory, 0, kBenchMaxMessage);
    time_window("shared_", pair.comm, &context, &options);
    memory = bench_buffer(kBenchMaxMessage, 0);
    MPI_Win_create(memory, kBenchMaxMessage, 1, MPI_INFO_NULL, pair.comm, &context.win);
    time_messages(&pair, &options);
    time_window("private_", pair.comm, &context, &options);
    free(memory);
    free(context.mine);
  }
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
