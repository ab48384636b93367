/* SPDX-FileCopyrightText: 2026 The Starling authors
   SPDX-License-Identifier: BSD-3-Clause */
/* STARLING_CHECK=collective, seen by a program: ranks that call different collectives get an error instead of a hang,
   and the communicator still works. With the argument "fatal" the error handler ends the job, and its message names
   both. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, int rank) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  ++failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int fatal = argc > 1 && strcmp(argv[1], "fatal") == 0;
  if (!fatal) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

  int mine = 1, sum = 0, code = MPI_SUCCESS;
  if (rank == 0) {
    code = MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    code = MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  expect(code != MPI_SUCCESS, "a broadcast met a reduction, and the call succeeded", rank);

  code = MPI_Bcast(&mine, 1, MPI_INT, rank == 0 ? 1 : 0, MPI_COMM_WORLD);
  expect(code != MPI_SUCCESS, "ranks named different roots, and the call succeeded", rank);
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  expect(class == MPI_ERR_ROOT, "different roots are not of class MPI_ERR_ROOT", rank);

  code = MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(code == MPI_SUCCESS && sum == size, "the communicator does not work any more", rank);
  MPI_Finalize();
  return failures != 0;
}
