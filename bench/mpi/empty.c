// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The empty program: bench/compare times it from outside, from the launcher's start to its end.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
