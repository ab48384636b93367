/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks whose stacks have something of each kind; test_stack.py says how they are shown. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank;

static void* serve(void* unused) {
  (void)unused;
  pause(); /* position: serve */
  return NULL;
}

/* The compiler puts it into its caller. */
static inline __attribute__((always_inline)) void wait_for_news(void) { pause(); /* position: inlined */ }

static void slow_add(void* in, void* in_out, int* count, MPI_Datatype* type) {
  (void)in, (void)in_out, (void)count, (void)type;
  wait_for_news(); /* position: operator */
}

static void walk(int depth) {
  if (depth > 0) walk(depth - 1); /* position: recursion */
  pause();                        /* position: depth */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread;
  if (rank == 1) pthread_create(&thread, NULL, serve, NULL);
  if (rank == 2) walk(5); /* position: walk */
  int value = 1, sum = 0;
  MPI_Op operation;
  MPI_Op_create(slow_add, 1, &operation);
  if (rank < 2) MPI_Reduce_local(&value, &sum, 1, MPI_INT, operation);   /* position: reduce */
  MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* position: receive */
  MPI_Finalize();
  return 0;
}
