// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>

enum { kPingTag = 1 };

static void give_up(const char* why) {
  fprintf(stderr, "benchmark: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

Pair pair_open(void) {
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) give_up("this benchmark needs at least 2 ranks; start it with mpiexec -n 2");
  const bool is_member = rank < 2;
  Pair pair = {.rank = is_member ? rank : -1, .peer = 1 - rank};
  MPI_Comm_split(MPI_COMM_WORLD, is_member ? 0 : MPI_UNDEFINED, rank, &pair.comm);
  return pair;
}

void pair_close(Pair* pair) {
  if (pair->comm != MPI_COMM_NULL) MPI_Comm_free(&pair->comm);
}

void ping_pong(void* context, long iterations) {
  const PingPong* p = context;
  const MPI_Comm comm = p->pair->comm;
  const int peer = p->pair->peer;
  for (long i = 0; i < iterations; ++i) {
    if (p->pair->rank == 0) {
      MPI_Send(p->out, p->size, MPI_CHAR, peer, kPingTag, comm);
      MPI_Recv(p->in, p->size, MPI_CHAR, peer, kPingTag, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(p->in, p->size, MPI_CHAR, peer, kPingTag, comm, MPI_STATUS_IGNORE);
      MPI_Send(p->out, p->size, MPI_CHAR, peer, kPingTag, comm);
    }
  }
}

void require_bytes(const char* what, const char* bytes, long size, char expected) {
  for (long i = 0; i < size; ++i) {
    if (bytes[i] != expected) {
      fprintf(stderr, "%s: byte %ld of %ld is %d, not %d\n", what, i, size, bytes[i], expected);
      give_up("wrong data arrived; the figures would mean nothing");
    }
  }
}
