// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// launch_join_end <descriptor>...: calls MPI_Comm_join on each and says how it went: a line for each, "joined <sum>"
// after a message there and back, or "failed <class> <text>" with MPI_COMM_NULL.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void join(int descriptor) {
  MPI_Comm other = MPI_COMM_WORLD;
  const int code = MPI_Comm_join(descriptor, &other);
  if (code == MPI_SUCCESS) {
    int mine = 21;
    int theirs = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&other);
    printf("joined %d\n", mine + theirs);
    return;
  }
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  int class = 0;
  MPI_Error_class(code, &class);
  MPI_Error_string(code, text, &length);
  const char* name = class == MPI_ERR_ARG ? "MPI_ERR_ARG" : "MPI_ERR_OTHER";
  printf("failed %s%s %s\n", name, other == MPI_COMM_NULL ? "" : " but no null handle", text);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 1; i < argc; ++i) join(atoi(argv[i]));
  MPI_Finalize();
  return 0;
}
