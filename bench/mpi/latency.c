// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-way latency between two ranks: half the round trip of a blocking ping-pong. `latency`: of a message that nobody
// writes again or reads, as most benchmarks have it; what is copied lies in the receiver's cache from the time before.
// `latency_fresh`: of one that its sender writes and its receiver reads each time, as programs do; both are part of the
// time.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "pair.h"

enum { kLeastFresh = 1024, kLine = 64 };

static void write_and_send(const PingPong* p) {
  memset(p->out, 1 + p->pair->rank, (size_t)p->size);
  MPI_Send(p->out, p->size, MPI_CHAR, p->pair->peer, 0, p->pair->comm);
}

static void receive_and_read(const PingPong* p) {
  MPI_Recv(p->in, p->size, MPI_CHAR, p->pair->peer, 0, p->pair->comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < p->size; i += kLine) (void)*(volatile const char*)(p->in + i);
}

static void fresh_ping_pong(void* context, long iterations) {
  const PingPong* p = context;
  for (long i = 0; i < iterations; ++i) {
    if (p->pair->rank == 0) write_and_send(p);
    receive_and_read(p);
    if (p->pair->rank != 0) write_and_send(p);
  }
}

static void measure(const char* name, void (*body)(void*, long), long least, PingPong context,
                    const BenchOptions* options) {
  if (!bench_selected(options->only, name)) return;
  const Pair* pair = context.pair;
  for (int i = 0; i < options->size_count; ++i) {
    if (options->sizes[i] < least) continue;
    context.size = (int)options->sizes[i];
    const BenchTimes times = bench_time(pair->comm, body, &context, options);
    require_bytes(name, context.in, options->sizes[i], (char)(1 + pair->peer));
    if (pair->rank == 0) bench_print_time(name, options->sizes[i], times, 0.5e6, "us");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, kBenchMessageSizes, kBenchMessageSizeCount);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    char* out = bench_buffer(kBenchMaxMessage, 1 + pair.rank);
    char* in = bench_buffer(kBenchMaxMessage, 0);
    const PingPong context = {&pair, out, in, 0};
    measure("latency", ping_pong, 0, context, &options);
    measure("latency_fresh", fresh_ping_pong, kLeastFresh, context, &options);
    free(out);
    free(in);
  }
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
