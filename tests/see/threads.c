/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads of each of two ranks send to each other at once: 'threads THREADS TURNS'. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 16, kLong = 4096 };

static int rank, turns;
static MPI_Comm comms[kMost];

static void* talk(void* number) {
  const int helper = *(int*)number;
  static char out[kMost][kLong], in[kMost][kLong];
  for (int turn = 0; turn < turns; ++turn) {
    const int bytes = turn % 2 == 0 ? 8 : kLong;
    MPI_Request request;
    MPI_Irecv(in[helper], bytes, MPI_CHAR, 1 - rank, helper, MPI_COMM_WORLD, &request);
    MPI_Send(out[helper], bytes, MPI_CHAR, 1 - rank, helper, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (turn % 20 == 0) MPI_Barrier(comms[helper]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level, numbers[kMost];
  pthread_t helpers[kMost];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int threads = argc > 1 ? atoi(argv[1]) : 2;
  turns = argc > 2 ? atoi(argv[2]) : 100;
  if (level != MPI_THREAD_MULTIPLE || threads > kMost) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    pthread_create(&helpers[i], NULL, talk, &numbers[i]);
  }
  for (int i = 0; i < threads; ++i) pthread_join(helpers[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
