/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Does what its argument says, a script for each rank; drawn_programs.py draws such scripts and says what becomes of
 * them.
 *
 *   drawn SCRIPT/SCRIPT/... [THREADS [FILE]]    a script is a row of steps with commas between them
 *
 *   R<rank>:<tag>@<comm>  receive, * for any source      S  send synchronously    s  send, without waiting
 *   I                     begin to receive               J  begin to send synchronously
 *   A, W                  wait for any, for all, of what has been begun
 *   B@<comm>              barrier                        C<root>@<comm>  broadcast
 *   L<count>@<comm>       allreduce of so many integers  D<root>@<comm>  reduce
 *   P<rank>, G<rank>      post, and then wait for accesses, to this rank's window by the other; access the window of
 *                         the other
 *   O                     never come back from work of its own
 *   T<rank>:<tag>         test in a loop for a message; Z the same, and sleep between the tests
 *
 * THREADS, where it is not empty, asks for MPI_THREAD_MULTIPLE and has a letter for each rank: 'w' for one whose script
 * another thread follows, for which the first one waits; '-' for others. In FILE each rank keeps a byte: the number of
 * steps that it has left behind it.
 *
 * Communicators: 0 the world, 1 "even" or "odd", 2 "solver" of all, 3 "low" or "high". Ranks are those of the world.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 32 };

static int rank, size;
static MPI_Comm comms[4];
static MPI_Group groups[4], world;
static MPI_Win window;
static MPI_Request requests[kMost];
static int begun;
static int buffers[kMost][64];
static int window_memory[4];

static int local(int number, int comm) {
  int translated = MPI_UNDEFINED;
  if (number == MPI_ANY_SOURCE) return number;
  MPI_Group_translate_ranks(world, 1, &number, groups[comm], &translated);
  return translated;
}

static void name(MPI_Comm comm, const char* text) { MPI_Comm_set_name(comm, text); }

static void prepare(int with_window) {
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
  name(comms[1], rank % 2 == 0 ? "even" : "odd");
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
  name(comms[2], "solver");
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &comms[3]);
  name(comms[3], rank < size / 2 ? "low" : "high");
  for (int i = 0; i < 4; ++i) MPI_Comm_group(comms[i], &groups[i]);
  world = groups[0];
  for (int i = 0; i < kMost; ++i) requests[i] = MPI_REQUEST_NULL;
  if (with_window)
    MPI_Win_create(window_memory, sizeof window_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void work_for_ever(void) {
  while (1) pause();
}

static void test_for_ever(int from, int tag, int sleeps) {
  MPI_Irecv(buffers[0], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[0]);
  for (int done = 0; !done;) {
    MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    if (sleeps) usleep(1000);
  }
}

static void access_window(char kind, int other) {
  MPI_Group group;
  MPI_Group_incl(world, 1, &other, &group);
  if (kind == 'P') {
    MPI_Win_post(group, 0, window);
    MPI_Win_wait(window);
  } else {
    MPI_Win_start(group, 0, window);
    MPI_Put(buffers[0], 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
  }
  MPI_Group_free(&group);
}

static void step(const char* text) {
  const char kind = *text;
  char* rest = (char*)text + 1;
  int number = MPI_ANY_SOURCE, tag = 0, comm = 0, which = 0;
  if (*rest == '*')
    ++rest;
  else
    number = (int)strtol(rest, &rest, 10);
  if (*rest == ':') tag = (int)strtol(rest + 1, &rest, 10);
  if (*rest == '@') comm = (int)strtol(rest + 1, &rest, 10);
  int* const buffer = buffers[begun % kMost];
  const int peer = strchr("RSsIJCDT", kind) ? local(number, comm) : number;
  switch (kind) {
    case 'R': MPI_Recv(buffer, 64, MPI_INT, peer, tag, comms[comm], MPI_STATUS_IGNORE); break;
    case 'S': MPI_Ssend(buffer, 1, MPI_INT, peer, tag, comms[comm]); break;
    case 's': MPI_Send(buffer, 1, MPI_INT, peer, tag, comms[comm]); break;
    case 'I': MPI_Irecv(buffer, 64, MPI_INT, peer, tag, comms[comm], &requests[begun++]); break;
    case 'J': MPI_Issend(buffer, 1, MPI_INT, peer, tag, comms[comm], &requests[begun++]); break;
    case 'A': MPI_Waitany(begun, requests, &which, MPI_STATUS_IGNORE); break;
    case 'W': MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE); break;
    case 'B': MPI_Barrier(comms[comm]); break;
    case 'C': MPI_Bcast(buffer, 1, MPI_INT, peer, comms[comm]); break;
    case 'L': MPI_Allreduce(MPI_IN_PLACE, buffer, number, MPI_INT, MPI_MAX, comms[comm]); break;
    case 'D': MPI_Reduce(buffer, buffers[kMost - 1], 1, MPI_INT, MPI_MAX, peer, comms[comm]); break;
    case 'P':
    case 'G': access_window(kind, number); break;
    case 'O': work_for_ever(); break;
    case 'T':
    case 'Z': test_for_ever(number, tag, kind == 'Z'); break;
    default: fprintf(stderr, "no such step: %s\n", text); MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static char* script;
static int progress = -1;

static void* follow(void* nothing) {
  (void)nothing;
  char done = 0;
  for (char* each = strtok(script, ","); each; each = strtok(NULL, ",")) {
    step(each);
    ++done;
    if (progress >= 0 && pwrite(progress, &done, 1, rank) != 1) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const char* const threads = argc > 2 ? argv[2] : "";
  int level;
  MPI_Init_thread(&argc, &argv, threads[0] != '\0' ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  if (argc > 3) progress = open(argv[3], O_WRONLY);
  prepare(strpbrk(argv[1], "PG") != NULL);
  script = argv[1];
  for (int i = 0; i < rank; ++i) script = strchr(script, '/') + 1;
  if (strchr(script, '/')) *strchr(script, '/') = '\0';
  if (threads[0] != '\0' && threads[rank] == 'w') {
    pthread_t other;
    pthread_create(&other, NULL, follow, NULL);
    pthread_join(other, NULL);
  } else {
    follow(NULL);
  }
  MPI_Finalize();
  return 0;
}
