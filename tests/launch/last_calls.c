// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Makes MPI calls for ever, the same on all ranks, and writes each call into a file of its rank before it makes it, in
// the words of the launcher's report: last_calls FOLDER. With a second argument it makes one that is refused.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int file;

static void tell(const char* line) {
  char text[256];
  const int bytes = snprintf(text, sizeof text, "%s\n", line);
  if (write(file, text, (size_t)bytes) != bytes) _exit(9);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2) MPI_Send(&rank, 1, MPI_INT, size, 3, MPI_COMM_WORLD);
  char path[512];
  snprintf(path, sizeof path, "%s/%d", argv[1], rank);
  file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double sent[4] = {0}, received[4];
  unsigned random = 1;
  char line[200];
  for (int step = 0;; ++step) {
    random = random * 1103515245 + 12345;
    const int tag = step % 100;
    switch (random >> 16 & 3) {
      case 0:
        snprintf(line, sizeof line, "MPI_Sendrecv of 2 x MPI_INT to %d and from %d with tag %d on MPI_COMM_WORLD", next,
                 previous, tag);
        tell(line);
        MPI_Sendrecv(sent, 2, MPI_INT, next, tag, received, 2, MPI_INT, previous, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
      case 1:
        tell("MPI_Allreduce of 4 x MPI_DOUBLE on 'solver'");
        MPI_Allreduce(sent, received, 4, MPI_DOUBLE, MPI_SUM, solver);
        break;
      case 2:
        snprintf(line, sizeof line, "MPI_Bcast of 3 x MPI_FLOAT with root %d on 'solver'", step % size);
        tell(line);
        MPI_Bcast(sent, 3, MPI_FLOAT, step % size, solver);
        break;
      default: {
        MPI_Request requests[2];
        tell("MPI_Irecv of 1 x MPI_INT from any rank on MPI_COMM_WORLD");
        MPI_Irecv(received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        snprintf(line, sizeof line, "MPI_Isend of 1 x MPI_INT to %d with tag %d on MPI_COMM_WORLD", next, tag);
        tell(line);
        MPI_Isend(sent, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
        tell("MPI_Waitall for 2 requests");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        tell("MPI_Barrier on MPI_COMM_WORLD");
        MPI_Barrier(MPI_COMM_WORLD);
      }
    }
  }
}
