/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that hang, each by a mistake that users make; the first argument says which. test_why.py has the sentences.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static int value[4];

static void receive(int source, int tag) {
  MPI_Recv(value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static volatile int converged;

static void iterate_for_ever(void) {
  while (!converged) /* position: missing */
    ;
}

/* 0 to 2 receive before they send; the others go on to the barrier. */
static void ring(void) {
  if (rank < 3) {
    receive((rank + 1) % 3, 7);
    MPI_Send(value, 1, MPI_INT, (rank + 2) % 3, 7, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* All wait in a circle. Each prints first when it begins: from the last of these moments on nothing can go on. */
static void circle(void) {
  struct timespec now;
  MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%.6f\n", (double)now.tv_sec + (double)now.tv_nsec / 1e9);
  fflush(stdout);
  receive((rank + 1) % size, 7);
}

static void sends(void) {
  MPI_Ssend(value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  receive(1 - rank, 3);
}

static void any_source(void) { receive(rank == 0 ? MPI_ANY_SOURCE : 0, rank == 0 ? 7 : 8); }

static void waitall(void) {
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Irecv(&value[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value[1], 1, MPI_INT, 2, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    receive(0, 9);
  } else {
    MPI_Send(value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* The members of one half wait in its barrier, one of them in that of all. */
static void halves(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, rank % 2 == 0 ? "even" : "odd");
  MPI_Barrier(rank == 0 ? half : MPI_COMM_WORLD);
}

static void roots(void) {
  MPI_Bcast(value, 1, MPI_INT, rank == 4 ? 1 : 0, MPI_COMM_WORLD);
  if (rank != 4) receive(4, 1);
}

static void missing(void) {
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  for (int step = 1; step <= 51; ++step) {
    if (rank == 2 && step == 51) iterate_for_ever();
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_MAX, solver);
  }
}

static void test_loop(void) {
  if (rank == 0) {
    receive(1, 7);
    return;
  }
  MPI_Request request;
  MPI_Irecv(value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* position: test_loop */
}

/* All receive before they send, and ask again and again. */
static void all_test(void) {
  MPI_Request request;
  MPI_Irecv(value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* position: all_test */
}

static void add_for_ever(void* in, void* in_out, int* length, MPI_Datatype* type) {
  (void)in, (void)in_out, (void)length, (void)type;
  iterate_for_ever();
}

/* Rank 1 does not come back from its own operation, which MPI calls. */
static void operation(void) {
  if (rank == 0) {
    receive(1, 7);
    return;
  }
  MPI_Op add;
  MPI_Op_create(add_for_ever, 1, &add);
  MPI_Reduce_local(&value[0], &value[1], 1, MPI_INT, add);
}

/* 0 receives before it comes to the fence. */
static void fence(void) {
  MPI_Win window;
  MPI_Win_create(value, sizeof value, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) receive(1, 7);
  MPI_Win_fence(0, window);
}

static void finalize(void) {
  if (rank == 0) receive(1, 7);
}

/* Rank 0 sends its part to the root that it knows, and goes on to other collectives. */
static void parted(void) {
  int sum[4];
  MPI_Reduce(value, sum, 1, MPI_INT, MPI_SUM, rank == 1 ? 1 : 2, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_SELF);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* Nothing hangs here; rank 1 comes late, to rank 0 and to a barrier. */
static void patient(void) {
  if (rank == 1) sleep(3);
  if (rank == 1) MPI_Send(value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (rank == 0) receive(1, 7);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Nothing hangs here; one message goes round all the time. */
static void healthy(void) {
  const double end = MPI_Wtime() + 3;
  for (int goes_on = 1; goes_on;) {
    goes_on = MPI_Wtime() < end;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(value, 1, MPI_INT, (rank + 1) % size, 5, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} modes[] = {{"ring", ring},         {"sends", sends},     {"any", any_source},      {"waitall", waitall},
             {"halves", halves},     {"roots", roots},     {"missing", missing},     {"test", test_loop},
             {"finalize", finalize}, {"barrier", barrier}, {"healthy", healthy},     {"patient", patient},
             {"parted", parted},     {"tests", all_test},  {"operation", operation}, {"fence", fence},
             {"circle", circle}};

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[2], "late") == 0) pause(); /* before MPI_Init */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (unsigned i = 0; i < sizeof modes / sizeof *modes; ++i) {
    if (argc > 1 && strcmp(argv[1], modes[i].name) == 0) modes[i].run();
  }
  MPI_Finalize();
  return 0;
}
