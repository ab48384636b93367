// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// hosts_names serve | call <name>: jobs that find each other by a published name. The server prints "published", and
// when another has connected "met"; the caller prints "met", or "unknown" where it does not find the name.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm other = MPI_COMM_NULL;
  const char* outcome = "met";
  if (strcmp(argv[1], "serve") == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    if (MPI_Publish_name(argv[2], MPI_INFO_NULL, port) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
    puts("published");
    fflush(stdout);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
    MPI_Unpublish_name(argv[2], MPI_INFO_NULL, port);
    MPI_Close_port(port);
  } else if (MPI_Lookup_name(argv[2], MPI_INFO_NULL, port) == MPI_SUCCESS) {
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  } else {
    outcome = "unknown";
  }
  if (other != MPI_COMM_NULL) MPI_Comm_disconnect(&other);
  puts(outcome);
  MPI_Finalize();
  return 0;
}
