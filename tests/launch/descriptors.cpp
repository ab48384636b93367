// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// launch_descriptors <file>: every rank closes what daemons close, opens a file of its own under each of those numbers,
// and then uses what needs the job's shared memory to grow: messages, windows, a spawned job. The files stay empty.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kFirst = 3;
constexpr int kEnd = 64;

void take_every_number(const std::string& path) {
  for (int descriptor = kFirst; descriptor < 256; ++descriptor) close(descriptor);
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || descriptor >= kEnd) return;
  }
}

bool is_empty(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && file.st_size == 0;
}

/// Larger than what is inline, so that buffers are made real.
int sum_of_all(int rank, int size) {
  std::vector<int> mine(100'000, rank + 1);
  std::vector<int> theirs(mine.size());
  MPI_Sendrecv(mine.data(), 100'000, MPI_INT, (rank + 1) % size, 0, theirs.data(), 100'000, MPI_INT,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int sum = 0;
  MPI_Allreduce(&theirs[99'999], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int through_a_window(int rank, int size) {
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(1 << 20, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  const int value = rank + 100;
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 7, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  const int got = memory[7];
  MPI_Win_free(&window);
  return got;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string path = std::string(argv[1]) + "/" + std::to_string(rank);
  take_every_number(path);
  const int sum = sum_of_all(rank, size);
  const int got = through_a_window(rank, size);
  std::printf("rank %d: sum %d, window %d, file %s\n", rank, sum, got, is_empty(path) ? "empty" : "grown");
  std::fflush(stdout);
  MPI_Finalize();
  std::printf("rank %d: file %s at the end\n", rank, is_empty(path) ? "empty" : "grown");
  return 0;
}
