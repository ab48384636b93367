/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose calls are of all kinds that are seen. Without a word it runs to its end, and its results are right;
   with one it comes to a wait of that kind, in which rank 0 stays while rank 1 sleeps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void check(int good, const char* what) {
  if (good) return;
  printf("rank %d: wrong: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void messages(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(in == before, "sendrecv");
  in = -1;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(in == before, "nonblocking");
  in = -1;
  MPI_Recv_init(&in, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    out = 100 * round + rank;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(in == 100 * round + before, "persistent");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
}

static void collectives(void) {
  int sum = 0, done = 0;
  MPI_Request request;
  MPI_Comm half, both, copy;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  check(sum == size * (size - 1) / 2, "iallreduce");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
  int others = -1;
  MPI_Allreduce(&rank, &others, 1, MPI_INT, MPI_MIN, both);
  check(others == 1 - rank % 2, "intercommunicator");
  MPI_Comm_idup(half, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void windows_and_types(void) {
  int base = -1;
  MPI_Win window;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int values[2] = {rank, -rank};
  MPI_Bcast(values, 1, pair, 1, MPI_COMM_WORLD);
  check(values[0] == 1 && values[1] == -1, "a type of its own");
  MPI_Type_free(&pair);
  MPI_Win_create(&base, sizeof base, sizeof base, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  MPI_Win_unlock(rank, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void wait_in(const char* kind) {
  int value = 0;
  MPI_Request request;
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned); /* the other way round */
  MPI_Comm_set_name(turned, "turned");
  MPI_Barrier(turned);
  if (rank == 1) sleep(100);
  if (rank != 0) return;
  if (strcmp(kind, "persistent") == 0) {
    MPI_Recv_init(&value, 1, MPI_INT, size - 2, 11, turned, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(kind, "probe") == 0) {
    MPI_Probe(size - 2, 12, turned, MPI_STATUS_IGNORE);
  } else if (strcmp(kind, "crash") == 0) {
    MPI_Send(&value, 1, MPI_INT, rank, 13, MPI_COMM_WORLD);
    abort();
  }
}

int main(int argc, char** argv) {
  int threads;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) {
    wait_in(argv[1]);
  } else {
    messages();
    collectives();
    windows_and_types();
    if (rank == 0) puts("all right");
  }
  MPI_Finalize();
  return 0;
}
