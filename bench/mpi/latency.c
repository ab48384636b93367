// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-way latency between two ranks: half the round trip of a blocking ping-pong.
#include <mpi.h>
#include <stdlib.h>

#include "bench.h"
#include "pair.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, kBenchMessageSizes, kBenchMessageSizeCount);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    char* out = bench_buffer(kBenchMaxMessage, 1 + pair.rank);
    char* in = bench_buffer(kBenchMaxMessage, 0);
    for (int i = 0; i < options.size_count; ++i) {
      PingPong context = {&pair, out, in, (int)options.sizes[i]};
      const BenchTimes times = bench_time(pair.comm, ping_pong, &context, &options);
      require_bytes("latency", in, options.sizes[i], (char)(1 + pair.peer));
      if (pair.rank == 0) bench_print_time("latency", options.sizes[i], times, 0.5e6, "us");
    }
    free(out);
    free(in);
  }
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
