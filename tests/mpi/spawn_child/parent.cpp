// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spawns one child that does as told, and ends in the way that it is told: parent CHILD MODE END. Or spawns children
// one after the other: parent CHILD storm TIMES.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

/// Descriptors and mappings of this process.
long open_now() {
  const auto descriptors = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  std::ifstream maps("/proc/self/maps");
  return descriptors + std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

/// Children after each other, by disconnecting or by just freeing; fails when something of them stays.
void storm(const char* child, int times) {
  char quiet[] = "quiet";
  char free[] = "free";
  long after_first = 0;
  for (int i = 0; i < times; ++i) {
    const bool freed = i % 3 == 2;
    char* arguments[] = {freed ? free : quiet, nullptr};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_spawn(child, arguments, 1 + i % 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
    if (freed) {
      MPI_Comm_free(&comm);
    } else {
      MPI_Comm_disconnect(&comm);
    }
    if (i == 9) after_first = open_now();
  }
  const long at_end = open_now();
  std::printf("open after 10: %ld, after %d: %ld\n", after_first, times, at_end);
  if (at_end > after_first + 12) MPI_Abort(MPI_COMM_WORLD, 3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  if (std::string(argv[2]) == "storm") {
    storm(argv[1], std::atoi(argv[3]));
    MPI_Finalize();
    return 0;
  }
  const std::string end = argv[3];
  char* arguments[] = {argv[2], nullptr};
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_spawn(argv[1], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
  std::printf("the child is there\n");
  std::fflush(stdout);
  int word = 0;
  if (end == "wait") MPI_Recv(&word, 1, MPI_INT, 0, 99, child, MPI_STATUS_IGNORE);  // nobody will send it
  if (end == "kill") raise(SIGKILL);
  if (end == "abort") MPI_Abort(MPI_COMM_WORLD, 5);
  if (end == "disconnect") MPI_Comm_disconnect(&child);
  if (end == "free") MPI_Comm_free(&child);
  MPI_Finalize();
  std::printf("the parent is through\n");
  return 0;
}
