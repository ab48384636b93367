/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * Calls at the wrong time and errors that end the job; outside_test.py runs each and looks at what is left. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int early_calls(void) {
  int flag = -1;
  int version = 0;
  int subversion = 0;
  int length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  if (MPI_Initialized(&flag) != MPI_SUCCESS || flag != 0) return 1;
  if (MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0) return 2;
  if (MPI_Get_version(&version, &subversion) != MPI_SUCCESS || version < 3) return 3;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS || length == 0) return 4;
  return 0;
}

static int late_calls(void) {
  int flag = -1;
  if (MPI_Initialized(&flag) != MPI_SUCCESS || flag != 1) return 5;
  if (MPI_Finalized(&flag) != MPI_SUCCESS || flag != 1) return 6;
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int rank = 0;
  int value = 0;
  if (strcmp(what, "before") == 0) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
  }
  if (strcmp(what, "allowed") == 0 && early_calls() != 0) return early_calls();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "twice") == 0) MPI_Init(&argc, &argv);
  if (strcmp(what, "fatal") == 0 && rank == 0) MPI_Send(&value, 1, MPI_INT, 1000, 7, MPI_COMM_WORLD);
  if (strcmp(what, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 41);
  if (strcmp(what, "fatal") == 0 || strcmp(what, "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(what, "after") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "allowed") == 0 && late_calls() != 0) return late_calls();
  printf("rank %d is through\n", rank);
  return 0;
}
