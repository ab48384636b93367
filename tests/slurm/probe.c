// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the checks under Slurm ask of a job: where its ranks are, lines of all, an exit status, calls without end.
//   slurm_probe where        each rank prints its number, its host and how many ranks share its memory
//   slurm_probe lines N      each rank prints N lines
//   slurm_probe status R S   rank R leaves with status S
//   slurm_probe rounds       allreduces until the job is ended; rank 0 prints a line after the first
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void where(void) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  printf("rank %d of %d on %s with %d\n", rank, size, host, here);
}

static void print_lines(int count) {
  char filling[200];
  memset(filling, 'a' + rank, sizeof filling);
  for (int line = 0; line < count; ++line) {
    printf("%d:%d:%.*s$\n", rank, line, line % (int)sizeof filling, filling);
    if (line % 7 == 0) fflush(stdout);
  }
}

static void rounds(void) {
  for (int round = 0;; ++round) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && round == 0) {
      printf("running\n");
      fflush(stdout);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* wish = argc > 1 ? argv[1] : "";
  int status = 0;
  if (strcmp(wish, "where") == 0) {
    where();
  } else if (strcmp(wish, "lines") == 0 && argc > 2) {
    print_lines(atoi(argv[2]));
  } else if (strcmp(wish, "status") == 0 && argc > 3) {
    if (rank == atoi(argv[2])) status = atoi(argv[3]);
  } else if (strcmp(wish, "rounds") == 0) {
    rounds();
  } else {
    fprintf(stderr, "slurm_probe: where, lines N, status R S or rounds\n");
    status = 2;
  }
  MPI_Finalize();
  return status;
}
