/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * A tool's own MPI_Barrier takes the library's place and reaches it as PMPI_Barrier (MPI-5.0, 15.2). */
#include <mpi.h>
#include <stdio.h>

static int seen = 0;

int MPI_Barrier(MPI_Comm comm) {
  seen++;
  return PMPI_Barrier(comm);
}

int main(void) {
  int code;
  MPI_Init(NULL, NULL);
  code = MPI_Barrier(MPI_COMM_WORLD);
  PMPI_Finalize();
  printf("the tool saw %d of 1 calls\n", seen);
  return code == MPI_SUCCESS && seen == 1 ? 0 : 1;
}
