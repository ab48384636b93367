/* SPDX-FileCopyrightText: 2026 The Starling authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace of another MPI's job is taken of. In each step rank 1 comes 10 ms late to a barrier, to rank 0, which
   receives from it, and to rank 2, which sends to it. Between them go messages in all the ways that there are; each has
   another size, so that who draws an arrow between the wrong two can be seen. At the end the sum of all that was
   received is printed. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kSteps = 5, kRoom = 100000, kLong = 90000 };

static int rank, size;
static char out[kRoom], in[8][kRoom];
static long sum;

/* Another one for each message of the program. */
static int next_size(void) {
  static int made;
  return 8 * (1 + made++);
}

static void got(const MPI_Status* status) {
  int bytes = 0;
  MPI_Get_count(status, MPI_CHAR, &bytes);
  sum += bytes;
}

/* Rank 1 is late. */
static void late(void) {
  MPI_Status status;
  if (rank == 1) usleep(10000);
  MPI_Barrier(MPI_COMM_WORLD); /* position: barrier */
  if (rank == 1) usleep(10000);
  if (rank == 1) MPI_Send(out, kLong, MPI_CHAR, 0, 20, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(in[0], kRoom, MPI_CHAR, 1, 20, MPI_COMM_WORLD, &status); /* position: receive */
  if (rank == 0) got(&status);
  if (rank == 1) usleep(10000);
  if (rank == 2) MPI_Ssend(out, kLong, MPI_CHAR, 1, 21, MPI_COMM_WORLD); /* position: send */
  if (rank == 1) MPI_Recv(in[0], kRoom, MPI_CHAR, 2, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 sends many at once; rank 2 hears of them in other orders than they come. */
static void overtaken(void) {
  MPI_Request requests[8];
  MPI_Status status, statuses[8];
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) MPI_Send(out, next_size(), MPI_CHAR, 2, 30, MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) MPI_Send(out, next_size(), MPI_CHAR, 2, 31 + i % 2, MPI_COMM_WORLD);
    return;
  }
  if (rank != 2) return;
  for (int i = 0; i < 8; ++i) MPI_Irecv(in[i], kRoom, MPI_CHAR, 0, 30, MPI_COMM_WORLD, &requests[i]);
  MPI_Wait(&requests[5], &status);
  got(&status);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  /* Not so often that the launcher cannot follow. */
  for (int done = 0; !done; usleep(200)) MPI_Test(&requests[7], &done, MPI_STATUS_IGNORE);
  int first = 0, count = 0, indices[8];
  MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
  MPI_Waitsome(2, &requests[3], &count, indices, MPI_STATUSES_IGNORE);
  MPI_Waitall(8, requests, statuses);
  for (int i = 0; i < 4; ++i) {
    /* Any tag, and any source. */
    MPI_Irecv(in[i], kRoom, MPI_CHAR, i < 2 ? 0 : MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* In a ring that goes the other way round, so that ranks of the communicator are not those of the world. */
static void turned(MPI_Comm ring) {
  int me, message_size = 0, flag = 0;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Message message;
  MPI_Comm_rank(ring, &me);
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  MPI_Sendrecv(out, next_size(), MPI_CHAR, next, 40, in[0], kRoom, MPI_CHAR, MPI_ANY_SOURCE, 40, ring,
               MPI_STATUS_IGNORE);
  MPI_Recv_init(in[1], kRoom, MPI_CHAR, before, 41, ring, &requests[0]);
  for (int i = 0; i < 2; ++i) {
    MPI_Isend(out, next_size(), MPI_CHAR, next, 41, ring, &requests[1]);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Isend(out, next_size(), MPI_CHAR, next, 42, ring, &requests[0]);
  MPI_Isend(out, next_size(), MPI_CHAR, next, 42, ring, &requests[1]);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ring, &message, MPI_STATUS_IGNORE);
  MPI_Recv(in[3], kRoom, MPI_CHAR, before, 42, ring, &status);
  got(&status);
  MPI_Mrecv(in[2], kRoom, MPI_CHAR, &message, &status);
  got(&status);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Isend(out, next_size(), MPI_CHAR, next, 43, ring, &requests[0]);
  for (; !flag; usleep(200)) MPI_Improbe(before, 43, ring, &flag, &message, &status);
  MPI_Imrecv(in[2], kRoom, MPI_CHAR, &message, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Get_count(&status, MPI_CHAR, &message_size);
  sum += message_size;
  /* One that nobody sends. */
  MPI_Irecv(in[2], kRoom, MPI_CHAR, before, 43, ring, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  long all = 0;
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &ring);
  MPI_Comm_set_name(ring, "ring");
  for (int step = 0; step < kSteps; ++step) {
    late();
    overtaken();
    turned(ring);
  }
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&ring);
  if (rank == 0) printf("%ld\n", all);
  MPI_Finalize();
  return 0;
}
