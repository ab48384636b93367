// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks send and receive at once, around a ring: `sendrecv` to the one neighbour and from the other, by
// MPI_Sendrecv; `exchange` with both neighbours, by MPI_Isend and MPI_Recv, as programs with borders to exchange do.
// The time of one round.
#include <mpi.h>
#include <stdlib.h>

#include "bench.h"
#include "pair.h"

enum { kTagRight = 1, kTagLeft = 2 };

typedef struct {
  int left;
  int right;
  char* out;
  char* from_left;
  char* from_right;
  int size;
} Ring;

static void sendrecv(void* context, long iterations) {
  const Ring* ring = context;
  for (long i = 0; i < iterations; ++i) {
    MPI_Sendrecv(ring->out, ring->size, MPI_BYTE, ring->right, kTagRight, ring->from_left, ring->size, MPI_BYTE,
                 ring->left, kTagRight, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void exchange(void* context, long iterations) {
  const Ring* ring = context;
  for (long i = 0; i < iterations; ++i) {
    MPI_Request sends[2];
    MPI_Isend(ring->out, ring->size, MPI_BYTE, ring->right, kTagRight, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(ring->out, ring->size, MPI_BYTE, ring->left, kTagLeft, MPI_COMM_WORLD, &sends[1]);
    MPI_Recv(ring->from_left, ring->size, MPI_BYTE, ring->left, kTagRight, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(ring->from_right, ring->size, MPI_BYTE, ring->right, kTagLeft, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long sizes[] = {8, 128, 1024, 8192, 16384, 65536, 524288};
  const BenchOptions options = bench_options(argc, argv, sizes, sizeof sizes / sizeof sizes[0]);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks;
  const int right = (rank + 1) % ranks;
  Ring ring = {left,
               right,
               bench_buffer(kBenchMaxMessage, 1 + rank),
               bench_buffer(kBenchMaxMessage, 0),
               bench_buffer(kBenchMaxMessage, 0),
               0};
  for (int i = 0; i < options.size_count; ++i) {
    ring.size = (int)options.sizes[i];
    if (bench_selected(options.only, "sendrecv")) {
      const BenchTimes times = bench_time(MPI_COMM_WORLD, sendrecv, &ring, &options);
      require_bytes("sendrecv", ring.from_left, ring.size, (char)(1 + left));
      if (rank == 0) bench_print_time("sendrecv", ring.size, times, 1e6, "us");
    }
    if (bench_selected(options.only, "exchange")) {
      const BenchTimes times = bench_time(MPI_COMM_WORLD, exchange, &ring, &options);
      require_bytes("exchange", ring.from_left, ring.size, (char)(1 + left));
      require_bytes("exchange", ring.from_right, ring.size, (char)(1 + right));
      if (rank == 0) bench_print_time("exchange", ring.size, times, 1e6, "us");
    }
  }
  free(ring.out);
  free(ring.from_left);
  free(ring.from_right);
  MPI_Finalize();
  return 0;
}
