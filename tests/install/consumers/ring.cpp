// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A C++ program as a user writes it: a vector goes once around the ring.
#include <mpi.h>

#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> mine(1000, rank);
  std::vector<double> theirs(1000, -1.0);
  const int left = (rank + size - 1) % size;
  MPI_Sendrecv(mine.data(), 1000, MPI_DOUBLE, (rank + 1) % size, 7, theirs.data(), 1000, MPI_DOUBLE, left, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const bool good = theirs == std::vector<double>(1000, left);
  if (rank == 0) std::cout << "c++: " << size << " ranks, " << (good ? "good" : "bad") << '\n';
  MPI_Finalize();
  return good ? 0 : 1;
}
