// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that bench/observe/compare looks at; the first argument says which:
//   self N        one rank sends itself 8 bytes N times; prints the shortest time of a message, in ns
//   batches N     rank 0 sends 8 bytes 16 times before rank 1 receives any, N times: nobody waits in a send or receive
//   pingpong N    8 bytes to and fro N times; rank 0 prints the time of a call, in ns
//   missing       all meet in a barrier but rank 1, which sleeps
//   ring SECONDS  the last rank is so late in a ring of receives; it prints the monotonic time at which it comes, in ns
//   share SECONDS each odd rank waits for messages that come at random times; prints each one's share of time in MPI
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kBytes = 8, kBatch = 16, kRepetitions = 25, kTag = 7 };

static int rank, size;
static char data[kBytes];

static void send_to(int to) { MPI_Send(data, kBytes, MPI_CHAR, to, kTag, MPI_COMM_WORLD); }
static void receive_from(int from) { MPI_Recv(data, kBytes, MPI_CHAR, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void self(double times) {
  double best_s = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    const double begin_s = MPI_Wtime();
    for (long n = 0; n < (long)times; ++n) {
      send_to(rank);
      receive_from(rank);
    }
    const double each_s = (MPI_Wtime() - begin_s) / times;
    if (each_s < best_s) best_s = each_s;
  }
  printf("%.3f\n", best_s * 1e9);
}

static void batches(double times) {
  for (long n = 0; n < (long)times; ++n) {
    for (int i = 0; i < kBatch && rank == 0; ++i) send_to(1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kBatch && rank == 1; ++i) receive_from(0);
  }
}

static void pingpong(double times) {
  double best_s = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = MPI_Wtime();
    for (long n = 0; n < (long)times; ++n) {
      if (rank == 0) send_to(1);
      receive_from(1 - rank);
      if (rank == 1) send_to(0);
    }
    const double each_s = (MPI_Wtime() - begin_s) / times / 2;  // a rank makes two calls in each turn
    if (each_s < best_s) best_s = each_s;
  }
  if (rank == 0) printf("%.3f\n", best_s * 1e9);
}

static void missing(double nothing) {
  (void)nothing;
  while (rank == 1) pause();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ring(double seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    usleep((useconds_t)(seconds * 1e6));
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    fflush(stdout);
  }
  receive_from((rank + 1) % size);
}

static void share(double seconds) {
  const double begin_s = MPI_Wtime();
  double inside_s = 0;
  unsigned random = (unsigned)rank + 1;
  for (int goes_on = 1; goes_on;) {
    random = random * 1664525 + 1013904223;
    usleep(random % 16384);  // the last bits have a rhythm, but two ranks have two of them
    if (rank % 2 == 0) {
      data[0] = MPI_Wtime() - begin_s < seconds;
      goes_on = data[0];
      MPI_Ssend(data, kBytes, MPI_CHAR, rank + 1, kTag, MPI_COMM_WORLD);  // it must not run ahead
    } else {
      const double before_s = MPI_Wtime();
      receive_from(rank - 1);
      inside_s += MPI_Wtime() - before_s;
      goes_on = data[0];
    }
  }
  if (rank % 2 == 1) printf("%d %.4f\n", rank, inside_s / (MPI_Wtime() - begin_s));
}

static const struct {
  const char* name;
  void (*run)(double);
} modes[] = {{"self", self},       {"batches", batches}, {"pingpong", pingpong},
             {"missing", missing}, {"ring", ring},       {"share", share}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; ++i) {
    if (strcmp(argv[1], modes[i].name) == 0) modes[i].run(argc > 2 ? atof(argv[2]) : 0);
  }
  MPI_Finalize();
  return 0;
}
