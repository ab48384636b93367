/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Random steps of a correct program: whoever says that it hangs is wrong.
 *
 *   storm SEED SECONDS LONGEST_MS [STEPS [threads]]    LONGEST_MS: how long a rank may let the others wait
 *
 * All ranks draw the same steps from the seed, for so many seconds and at least STEPS of them. Each has a tag of its
 * own: with one tag for two steps a receive from any source may take the message of the later one, and then the program
 * hangs. What is received is checked. Rank 0 prints at the end how many steps there were. A job over several nodes has
 * no window, and a barrier in place of its accesses. With threads a second thread of each rank sends around a ring
 * meanwhile. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* kLong: bytes for which a sender waits until they are received. */
enum { kStepsPerRound = 64, kMost = 64, kLong = 65536, kTags = 30000 };

static int rank, size;
static MPI_Comm comms[3];
static MPI_Win window = MPI_WIN_NULL;
static int memory[kMost + 1], added;
static uint64_t state, steps;

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

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d, step %llu: wrong %s\n", rank, (unsigned long long)steps, what);
  MPI_Abort(MPI_COMM_WORLD, 4);
}

/* Memory that is given back as soon as the step is over: nobody may touch it later. */
static char* filled(int with) {
  char* data = malloc(kLong);
  if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 5);
  return memset(data, with, kLong);
}

static void check_and_free(char* data, int with) {
  expect(data[0] == (char)with && memcmp(data, data + 1, kLong - 1) == 0, "long message");
  free(data);
}

static int byte_of(int sender, int tag) { return 7 * sender + tag; }

static void message(int from, int to, int tag, int is_late, uint64_t longest_us) {
  int value = rank == from ? tag : -1;
  pause_if(is_late && rank == from, longest_us);
  if (from == to) return;
  if (rank == from) MPI_Ssend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank == to) MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == to) expect(value == tag, "message");
}

static void long_message(int from, int to, int tag, int is_late, uint64_t longest_us) {
  pause_if(is_late && rank == to, longest_us);
  if (from == to || (rank != from && rank != to)) return;
  char* data = filled(rank == from ? byte_of(from, tag) : 0);
  if (rank == from) MPI_Send(data, kLong, MPI_BYTE, to, tag, MPI_COMM_WORLD);
  if (rank == to) MPI_Recv(data, kLong, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_and_free(data, byte_of(from, tag));
}

struct Collectives {
  int told, sum;
  MPI_Request requests[3];
};

static void begin_collectives(struct Collectives* these, int root) {
  these->told = root;
  MPI_Iallreduce(&rank, &these->sum, 1, MPI_INT, MPI_SUM, comms[0], &these->requests[0]);
  MPI_Ibarrier(comms[2], &these->requests[1]);
  MPI_Ibcast(&these->told, 1, MPI_INT, root, comms[0], &these->requests[2]);
}

static void complete(int count, MPI_Request* requests, int how) {
  int done = 0, which = 0;
  switch (how) {
    case 0: MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); break;
    case 1:
      while (!done) MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
      break;
    case 2:
      while (which != MPI_UNDEFINED) MPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
      break;
    default:
      while (!done || which != MPI_UNDEFINED) MPI_Testany(count, requests, &which, &done, MPI_STATUS_IGNORE);
  }
}

static void nonblocking_collectives(int root, int how, int is_late, uint64_t longest_us) {
  struct Collectives these;
  begin_collectives(&these, root);
  pause_if(is_late && rank == root, longest_us);
  complete(3, these.requests, how);
  expect(these.sum == size * (size - 1) / 2 && these.told == root, "nonblocking collective");
}

/* Long messages go round, while nonblocking collectives that began before or after them go on. */
static void long_ring(int tag, int how, int with_collectives) {
  const int previous = (rank + size - 1) % size;
  char *sent = filled(byte_of(rank, tag)), *received = filled(0);
  struct Collectives these = {0};
  MPI_Request requests[5];
  if (with_collectives == 1) begin_collectives(&these, tag % size);
  MPI_Irecv(received, kLong, MPI_BYTE, previous, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, kLong, MPI_BYTE, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
  if (with_collectives == 2) begin_collectives(&these, tag % size);
  memcpy(&requests[2], these.requests, sizeof these.requests);
  complete(with_collectives != 0 ? 5 : 2, requests, how);
  check_and_free(sent, byte_of(rank, tag));
  check_and_free(received, byte_of(previous, tag));
  if (with_collectives != 0)
    expect(these.sum == size * (size - 1) / 2 && these.told == tag % size, "collective beside");
}

/* All send a long message to one of them, which asks for any, while they exchange others. */
static void long_from_any(int to, int tag) {
  const int previous = (rank + size - 1) % size;
  char *own = filled(byte_of(rank, tag)), *sent = filled(rank + 1), *received = filled(0);
  MPI_Request request;
  MPI_Isend(own, kLong, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  MPI_Sendrecv(sent, kLong, MPI_BYTE, (rank + 1) % size, tag, received, kLong, MPI_BYTE, previous, tag, comms[2],
               MPI_STATUS_IGNORE);
  check_and_free(received, previous + 1);
  for (int i = 0; rank == to && i < size; ++i) {
    char* data = filled(0);
    MPI_Status status;
    MPI_Recv(data, kLong, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    check_and_free(data, byte_of(status.MPI_SOURCE, tag));
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_and_free(own, byte_of(rank, tag));
  check_and_free(sent, rank + 1);
}

/* In the world. */
static int rank_of_member(MPI_Comm comm, int member) { return comm == comms[1] ? 2 * member + rank % 2 : member; }

static void collective(int kind, MPI_Comm comm, int root) {
  int members, self, value = rank, result = 0, sum = 0;
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &self);
  root %= members;
  for (int i = 0; i < members; ++i) sum += rank_of_member(comm, i);
  switch (kind) {
    case 0: MPI_Barrier(comm); return;
    case 1:
      MPI_Bcast(&value, 1, MPI_INT, root, comm);
      expect(value == rank_of_member(comm, root), "broadcast");
      return;
    case 2: MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm); break;
    default: MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, root, comm);
  }
  if (kind == 2 || self == root) expect(result == sum, "sum");
}

static void gather_from_any(int to, int tag) {
  int value = tag;
  if (rank != to) MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  for (int i = 1; rank == to && i < size; ++i) {
    value = -1;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(value == tag, "message from any");
  }
}

static void wait_for_any(int to, int tag) {
  int values[kMost];
  MPI_Request requests[kMost];
  if (rank != to) MPI_Ssend(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank != to) return;
  for (int i = 0; i < size; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, i == to ? MPI_PROC_NULL : i, tag, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0, which; i < size; ++i) MPI_Waitany(size, requests, &which, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) expect(i == to || values[i] == tag, "message of any");
}

static void test_for(int from, int to, int tag, int sleeps, uint64_t longest_us) {
  pause_if(rank == from, longest_us);
  int value = rank == from ? tag : -1, done = 0;
  if (from == to) return;
  if (rank == from) MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
  if (rank != to) return;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
  while (!done) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (sleeps) usleep(300);
  }
  expect(value == tag, "tested message");
}

static void everybody(int tag) {
  int values[kMost];
  MPI_Request requests[2 * kMost];
  for (int i = 0; i < size; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < size; ++i) MPI_Isend(&rank, 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[size + i]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < size; ++i) expect(values[i] == i, "message of everybody");
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
  expect(rank != to || memory[size - 1] == size - 1, "put");
}

static void add_under_lock(int to) {
  const int one = 1;
  if (rank == to) added += size;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
  MPI_Accumulate(&one, 1, MPI_INT, to, kMost, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(to, window);
}

static void ring(int tag) {
  int value = rank;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, tag, (rank + size - 1) % size, tag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  expect(value == (rank + size - 1) % size, "message of the ring");
}

static void step(uint64_t longest_us) {
  const int kind = (int)draw(20), one = (int)draw((uint64_t)size), other = (int)draw((uint64_t)size);
  const int tag = (int)(steps % kTags), choice = (int)draw(12);
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
    case 10: long_message(one, other, tag, choice == 0, late_us); break;
    case 11: long_ring(tag, choice % 4, choice / 4); break;
    case 12: nonblocking_collectives(one, choice % 4, choice == 0, late_us); break;
    case 13: long_from_any(one, tag); break;
    default: collective(choice % 4, comms[choice / 4], other);
  }
  ++steps;
}

static MPI_Comm of_threads;
static _Atomic int is_over;

/* Until rank 0 sends round that it is the last time. */
static void* go_round(void* nothing) {
  for (int last = 0; !last;) {
    usleep(500);
    if (rank == 0) {
      last = is_over;
      MPI_Send(&last, 1, MPI_INT, (rank + 1) % size, 1, of_threads);
      MPI_Recv(&last, 1, MPI_INT, size - 1, 1, of_threads, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&last, 1, MPI_INT, rank - 1, 1, of_threads, MPI_STATUS_IGNORE);
      MPI_Send(&last, 1, MPI_INT, (rank + 1) % size, 1, of_threads);
    }
  }
  return nothing;
}

int main(int argc, char** argv) {
  const int threads = argc == 6 && strcmp(argv[5], "threads") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 4 || argc > 5 + threads || size > kMost) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  make_window();
  pthread_t thread;
  if (threads) {
    MPI_Comm_dup(MPI_COMM_WORLD, &of_threads);
    if (pthread_create(&thread, NULL, go_round, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 5);
  }
  const double end = MPI_Wtime() + atof(argv[2]);
  const uint64_t longest_us = strtoull(argv[3], NULL, 10) * 1000;
  const uint64_t least = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
  for (int goes_on = 1; goes_on;) {
    for (int i = 0; i < kStepsPerRound; ++i) step(longest_us);
    goes_on = MPI_Wtime() < end || steps < least;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  is_over = 1;
  if (threads) pthread_join(thread, NULL);
  if (window != MPI_WIN_NULL) {
    MPI_Win_free(&window);
    expect(memory[kMost] == added, "sum under locks");
  }
  if (rank == 0) printf("%llu steps\n", (unsigned long long)steps);
  MPI_Finalize();
  return 0;
}
