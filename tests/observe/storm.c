/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Random steps of a correct program: whoever says that it hangs is wrong.
 *
 *   storm SEED SECONDS LONGEST_MS    LONGEST_MS: how long a rank may let the others wait
 *
 * All ranks draw the same steps from the seed. Rank 0 prints at the end how many there were. A job over several nodes
 * has no window, and a barrier in place of its accesses. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kStepsPerRound = 64, kMost = 64 };

static int rank, size;
static MPI_Comm comms[3];
static MPI_Win window = MPI_WIN_NULL;
static int memory[kMost];
static uint64_t state;

static uint64_t draw(uint64_t end) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % end;
}

/* Both draw the same time; only one of them lets it pass. */
static void pause_if(int here, uint64_t longest_us) {
  const uint64_t us = draw(longest_us + 1);
  if (here) usleep((useconds_t)us);
}

static void message(int from, int to, int tag, int is_late, uint64_t longest_us) {
  int value = tag;
  pause_if(is_late && rank == from, longest_us);
  if (from == to) return;
  if (rank == from) MPI_Ssend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank == to) MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collective(int kind, MPI_Comm comm, int root) {
  int members, value = rank, result;
  MPI_Comm_size(comm, &members);
  switch (kind) {
    case 0: MPI_Barrier(comm); break;
    case 1: MPI_Bcast(&value, 1, MPI_INT, root % members, comm); break;
    case 2: MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm); break;
    default: MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, root % members, comm);
  }
}

static void gather_from_any(int to, int tag) {
  int value = 0;
  if (rank != to) MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  for (int i = 1; rank == to && i < size; ++i)
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_any(int to, int tag) {
  int values[kMost];
  MPI_Request requests[kMost];
  if (rank != to) MPI_Ssend(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank != to) return;
  for (int i = 0; i < size; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, i == to ? MPI_PROC_NULL : i, tag, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0, which; i < size; ++i) MPI_Waitany(size, requests, &which, MPI_STATUS_IGNORE);
}

static void test_for(int from, int to, int tag, int sleeps, uint64_t longest_us) {
  pause_if(rank == from, longest_us);
  int value = tag, done = 0;
  if (from == to) return;
  if (rank == from) MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank != to) return;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
  while (!done) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (sleeps) usleep(300);
  }
}

static void everybody(int tag) {
  int values[kMost];
  MPI_Request requests[2 * kMost];
  for (int i = 0; i < size; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < size; ++i) MPI_Isend(&rank, 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[size + i]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
}

static void make_window(void) {
  MPI_Comm node;
  int here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  if (here == size) MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void put(int to) {
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, to, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
}

static void add_under_lock(int to) {
  const int one = 1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
  MPI_Accumulate(&one, 1, MPI_INT, to, kMost - 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(to, window);
}

static void ring(int tag) {
  int value = rank;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, tag, (rank + size - 1) % size, tag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
}

static void step(uint64_t longest_us) {
  const int kind = (int)draw(16), one = (int)draw((uint64_t)size), other = (int)draw((uint64_t)size);
  const int tag = (int)draw(1000), choice = (int)draw(12);
  /* Now and then somebody is very late. */
  const uint64_t late_us = draw(100) == 0 ? longest_us : 2000;
  switch (kind) {
    case 0:
    case 1: message(one, other, tag, choice == 0, late_us); break;
    case 2: ring(tag); break;
    case 3: gather_from_any(one, tag); break;
    case 4: wait_for_any(one, tag); break;
    case 5: test_for(one, other, tag, choice % 2, choice < 4 ? late_us : 0); break;
    case 6: everybody(tag); break;
    case 7: window != MPI_WIN_NULL ? put(one) : collective(0, MPI_COMM_WORLD, 0); break;
    case 8: window != MPI_WIN_NULL ? add_under_lock(one) : collective(0, MPI_COMM_WORLD, 0); break;
    case 9:
      pause_if(rank == one && choice < 2, late_us);
      collective(choice % 4, comms[0], other);
      break;
    default: collective(choice % 4, comms[choice / 4], other);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size > kMost) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  make_window();
  const double end = MPI_Wtime() + atof(argv[2]);
  const uint64_t longest_us = strtoull(argv[3], NULL, 10) * 1000;
  uint64_t steps = 0;
  for (int goes_on = 1; goes_on;) {
    for (int i = 0; i < kStepsPerRound; ++i) step(longest_us);
    steps += kStepsPerRound;
    goes_on = MPI_Wtime() < end;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (window != MPI_WIN_NULL) MPI_Win_free(&window);
  if (rank == 0) printf("%llu steps\n", (unsigned long long)steps);
  MPI_Finalize();
  return 0;
}
