// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Latency of two ranks that talk while every other rank waits in a barrier: what waiting ranks cost the working ones.
#include <mpi.h>
#include <stdlib.h>

#include "bench.h"
#include "pair.h"

int main(int argc, char** argv) {
  const long sizes[] = {8};
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, 1);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    char* out = bench_buffer(kBenchMaxMessage, 1 + pair.rank);
    char* in = bench_buffer(kBenchMaxMessage, 0);
    for (int i = 0; i < options.size_count; ++i) {
      PingPong context = {&pair, out, in, (int)options.sizes[i]};
      const BenchTimes times = bench_time(pair.comm, ping_pong, &context, &options);
      require_bytes("pair_among_idle", in, options.sizes[i], (char)(1 + pair.peer));
      if (pair.rank == 0) bench_print_time("pair_among_idle", options.sizes[i], times, 0.5e6, "us");
    }
    free(out);
    free(in);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
