// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collective calls, windows and a file among processes that were started with different settings, on different cores or
// on other hosts.
//   unlike_jobs alone        all ranks of one job
//   unlike_jobs serve        prints the name of a port and merges with the job that connects
//   unlike_jobs call PORT    the other job
// With one more word, `broadcasts`, a hundred broadcasts of 8 KiB and nothing else. Prints how many values were wrong.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/spawn/shared_work.hpp"

namespace {

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

MPI_Comm meet(bool serves, const char* name) {
  char port[MPI_MAX_PORT_NAME] = "";
  const bool first = rank_in(MPI_COMM_WORLD) == 0;
  if (serves && first) {
    MPI_Open_port(MPI_INFO_NULL, port);
    std::printf("%s\n", port);
    std::fflush(stdout);
  } else if (first) {
    std::snprintf(port, sizeof port, "%s", name);
  }
  MPI_Comm other = MPI_COMM_NULL;
  if (serves) {
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  } else {
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  }
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(other, serves ? 0 : 1, &all);
  MPI_Comm_free(&other);
  return all;
}

/// One call of each kind with so many numbers; returns how many results were wrong here.
int call_all(MPI_Comm all, int count) {
  int size = 0;
  MPI_Comm_size(all, &size);
  const int rank = rank_in(all);
  const auto length = static_cast<std::size_t>(count);
  int wrong = 0;
  const auto check = [&](const std::vector<int>& got, std::size_t from, int wanted) {
    for (std::size_t i = from; i < from + length; ++i) wrong += got[i] != wanted ? 1 : 0;
  };
  std::vector<int> mine(length, rank + 1), one(length), many(length * static_cast<std::size_t>(size));
  const int sum = size * (size + 1) / 2;
  MPI_Allreduce(mine.data(), one.data(), count, MPI_INT, MPI_SUM, all);
  check(one, 0, sum);
  MPI_Reduce(mine.data(), one.data(), count, MPI_INT, MPI_MAX, 0, all);
  if (rank == 0) check(one, 0, size);
  one.assign(length, rank == size - 1 ? 7 : 0);
  MPI_Bcast(one.data(), count, MPI_INT, size - 1, all);
  check(one, 0, 7);
  MPI_Allgather(mine.data(), count, MPI_INT, many.data(), count, MPI_INT, all);
  for (int i = 0; i < size; ++i) check(many, length * static_cast<std::size_t>(i), i + 1);
  MPI_Gather(mine.data(), count, MPI_INT, many.data(), count, MPI_INT, 0, all);
  MPI_Scatter(many.data(), count, MPI_INT, one.data(), count, MPI_INT, 0, all);
  check(one, 0, rank + 1);
  std::vector<int> out(many.size(), rank);
  MPI_Alltoall(out.data(), count, MPI_INT, many.data(), count, MPI_INT, all);
  for (int i = 0; i < size; ++i) check(many, length * static_cast<std::size_t>(i), i);
  MPI_Reduce_scatter_block(out.data(), one.data(), count, MPI_INT, MPI_SUM, all);
  check(one, 0, size * (size - 1) / 2);
  MPI_Scan(mine.data(), one.data(), count, MPI_INT, MPI_SUM, all);
  check(one, 0, (rank + 1) * (rank + 2) / 2);
  MPI_Barrier(all);
  return wrong;
}

/// One that all have, of the first's.
std::string scratch_path(MPI_Comm all) {
  int number = static_cast<int>(getpid());
  MPI_Bcast(&number, 1, MPI_INT, 0, all);
  return "/tmp/starling-unlike-jobs-" + std::to_string(number);
}

int broadcast_again_and_again(MPI_Comm all) {
  constexpr int kBytes = 8 << 10;
  int wrong = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<char> data(kBytes, static_cast<char>(rank_in(all) == 0 ? round : -1));
    MPI_Bcast(data.data(), kBytes, MPI_CHAR, 0, all);
    for (const char byte : data) wrong += byte != round ? 1 : 0;
  }
  return wrong;
}

/// All the calls, and windows and a file.
int work_together(MPI_Comm all) {
  int wrong = 0;
  for (int round = 0; round < 3; ++round) {
    for (const int count : {1, 100, 3000, 20000, 100000}) wrong += call_all(all, count);
  }
  return wrong + starling::tests::use_windows(all) + starling::tests::use_file(all, scratch_path(all));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "alone";
  MPI_Comm all = MPI_COMM_WORLD;
  if (what != "alone") all = meet(what == "serve", argc > 2 ? argv[2] : "");
  const bool only_broadcasts = std::string(argv[argc - 1]) == "broadcasts";
  int wrong = only_broadcasts ? broadcast_again_and_again(all) : work_together(all);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, all);
  if (rank_in(MPI_COMM_WORLD) == 0) std::printf("%d wrong\n", wrong);
  if (all != MPI_COMM_WORLD) MPI_Comm_disconnect(&all);
  MPI_Finalize();
  return 0;
}
