// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bandwidth between two ranks that send and receive windows of 64 messages at once; both directions together.
#include <mpi.h>

#include "bench.h"
#include "pair.h"
#include "window.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, kBenchMessageSizes + 1, kBenchMessageSizeCount - 1);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    Window window = window_open(pair.comm, pair.peer, kBothWays);
    for (int i = 0; i < options.size_count; ++i) {
      window_set_size(&window, (int)options.sizes[i]);
      const BenchTimes times = bench_time(pair.comm, window_body, &window, &options);
      window_check(&window);
      const double bytes = 2.0 * window.messages * window.size;
      if (pair.rank == 0) bench_print_rate("bidirectional", options.sizes[i], times, bytes / 1e6, "MB/s");
    }
    window_close(&window);
  }
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
