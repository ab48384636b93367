// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// mpi_mistakes <number>: says which call and argument the mistake of that number concerns, makes it, and so ends by the
// default error handler. Without a number: how many mistakes there are.
#include "mpi/error/mistakes.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

void make_mistake(const starling::tests::Mistake& mistake) {
  std::printf("%s %s\n", mistake.call, mistake.argument);
  std::fflush(stdout);
  mistake.make();
  std::printf("the mistake went unnoticed\n");
}

void run(const char* number) {
  starling::tests::Mistakes mistakes;
  const std::vector<starling::tests::Mistake> all = mistakes.all();
  if (number) {
    make_mistake(all.at(static_cast<std::size_t>(std::atoi(number))));
  } else {
    std::printf("%zu\n", all.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc > 1 ? argv[1] : nullptr);
  MPI_Finalize();
  return 0;
}
