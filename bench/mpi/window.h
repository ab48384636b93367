// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A window of nonblocking messages between two ranks, as the bandwidth and message-rate benchmarks send them. Each
// message of a window has its own place in the receive buffer, as the standard asks.
// Thread safety: one thread. Ownership: window_close frees what window_open made.
#ifndef STARLING_BENCH_MPI_WINDOW_H
#define STARLING_BENCH_MPI_WINDOW_H

#include <mpi.h>

enum { kWindowMessages = 64 };

typedef enum { kSends, kReceives, kBothWays } WindowRole;

typedef struct {
  MPI_Comm comm;
  int peer;
  WindowRole role;
  int size;      // bytes of a message
  int messages;  // in a window: 64, fewer when they would fill more than 64 MiB
  char* out;
  char* in;
  MPI_Request requests[2 * kWindowMessages];
} Window;

Window window_open(MPI_Comm comm, int peer, WindowRole role);
void window_set_size(Window* window, int size);
void window_close(Window* window);

// For bench_time: `iterations` windows, each answered by an empty message (or crossed by a window in return).
void window_body(void* context, long iterations);

// Ends the job unless the last window arrived whole.
void window_check(const Window* window);

#endif
