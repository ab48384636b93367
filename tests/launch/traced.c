// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a trace is taken of: traced STEPS [FILE]. In each step rank 0 sends late, and then a long message, to each of
// the others; all meet in a barrier. With FILE each rank writes a byte there when it is through, and waits to be
// killed. In more than a thousand steps nobody is late.
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { kLong = 100000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* data = calloc(kLong, 1);
  const int steps = atoi(argv[1]);
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      if (steps <= 1000) usleep(3000);
      for (int peer = 1; peer < size; ++peer) {
        MPI_Send(data, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Send(data, kLong, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
      }
    } else {
      MPI_Recv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(data, kLong, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc > 2) {
    const int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(file, "x", 1) != 1) return 9;
    for (;;) pause();
  }
  free(data);
  MPI_Finalize();
  return 0;
}
