// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A pair of ranks for the point-to-point benchmarks: rank 0 and rank 1 of the world, with a communicator of their own.
// Thread safety: one thread. Ownership: pair_close frees what pair_open made.
#ifndef STARLING_BENCH_MPI_PAIR_H
#define STARLING_BENCH_MPI_PAIR_H

#include <mpi.h>
#include <stdbool.h>

typedef struct {
  MPI_Comm comm;  // of the two; MPI_COMM_NULL on every other rank
  int rank;       // in comm; -1 on every other rank
  int peer;       // the other one
} Pair;

// Collective over the world; ends the job when it has fewer than two ranks.
Pair pair_open(void);
void pair_close(Pair* pair);

// Ping-pong: `iterations` round trips of `size` bytes, for bench_time.
typedef struct {
  const Pair* pair;
  char* out;
  char* in;
  int size;
} PingPong;
void ping_pong(void* context, long iterations);

// Ends the job unless the last `size` bytes received are those that were sent.
void require_bytes(const char* what, const char* bytes, long size, char expected);

#endif
