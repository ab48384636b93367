/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that run until they are ended, each with a trouble that users have; the first argument says which.
 * test_top.py and test_doctor_job.py have what is said of them. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static char data[1 << 16];

static void spin(double seconds) {
  for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
    ;
}

static void all_meet(void) {
  int one = 1;
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Little work, equal in all ranks, and some messages. */
static void healthy(void) {
  usleep(3000);
  MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, (rank + 1) % size, 5, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  all_meet();
}

/* Rank 1 computes while the others wait for it. */
static void late(void) {
  if (rank == 1) spin(0.15);
  all_meet();
}

static void* spin_for_ever(void* nothing) {
  for (volatile int goes_on = 1; goes_on;)
    ;
  return nothing;
}

/* Four threads in each rank that compute. */
static void threads(void) {
  static int started;
  pthread_t thread;
  for (; started < 3; ++started) pthread_create(&thread, NULL, spin_for_ever, NULL);
  spin(0.05);
}

/* Rank 0 sends eight bytes again and again. */
static void small(void) {
  for (int i = 0; i < 1000; ++i) {
    if (rank == 0) MPI_Send(data, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Rank 1 tests for what rank 0 never sends. */
static void tests(void) {
  if (rank == 0) {
    usleep(10000);
    return;
  }
  MPI_Request request;
  MPI_Irecv(data, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* Rank 0 waits for rank 1, which is outside MPI. */
static void stuck(void) {
  if (rank == 0) MPI_Recv(data, 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pause();
}

/* Both receive before they send. */
static void both(void) { MPI_Recv(data, 1, MPI_CHAR, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/* Rank 0 sends 1000 bytes to rank 1 three times, and all wait for what does not come. */
static void sent(void) {
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send(data, 1000, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 1000, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  pause();
}

static const struct {
  const char* name;
  void (*step)(void);
} modes[] = {{"healthy", healthy}, {"late", late},   {"threads", threads}, {"small", small},
             {"tests", tests},     {"stuck", stuck}, {"sent", sent},       {"both", both}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 2 ? atoi(argv[2]) : -1;
  for (int step = 0; step != steps; ++step) {
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; ++i) {
      if (argc > 1 && strcmp(argv[1], modes[i].name) == 0) modes[i].step();
    }
  }
  MPI_Finalize();
  return 0;
}
