// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// mpi_mistakes <number>: says which call and argument the mistake of that number concerns, makes it, and so ends by the
// default error handler. Without a number: how many mistakes there are.
#include "mpi/error/mistakes.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  starling::tests::Mistakes mistakes;
  const std::vector<starling::tests::Mistake> all = mistakes.all();
  if (argc < 2) {
    std::printf("%zu\n", all.size());
    MPI_Finalize();
    return 0;
  }
  const starling::tests::Mistake& mistake = all.at(static_cast<std::size_t>(std::atoi(argv[1])));
  std::printf("%s %s\n", mistake.call, mistake.argument);
  std::fflush(stdout);
  mistake.make();
  std::printf("the mistake went unnoticed\n");
  MPI_Finalize();
  return 0;
}
