// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Message rate: windows of 64 small messages, from each rank of the lower half to its partner in the upper half; the
// rates of all pairs together. With an odd number of ranks the last one only watches.
#include <mpi.h>
#include <stdio.h>

#include "bench.h"
#include "window.h"

int main(int argc, char** argv) {
  const long sizes[] = {8};
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int pairs = size / 2;
  if (pairs < 1) {
    fprintf(stderr, "message_rate: needs at least 2 ranks; start it with mpiexec -n 2\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int is_member = rank < 2 * pairs;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, is_member ? 0 : MPI_UNDEFINED, rank, &comm);
  if (is_member) {
    const int is_sender = rank < pairs;
    Window window = window_open(comm, is_sender ? rank + pairs : rank - pairs, is_sender ? kSends : kReceives);
    for (int i = 0; i < options.size_count; ++i) {
      window_set_size(&window, (int)options.sizes[i]);
      const BenchTimes times = bench_time(comm, window_body, &window, &options);
      window_check(&window);
      const double messages = (double)window.messages * pairs;
      if (rank == 0) bench_print_rate("message_rate", options.sizes[i], times, messages / 1e6, "Mmsg/s");
    }
    window_close(&window);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
