// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a file needs of the nodes of its ranks: one file system, a shared pointer that does not wait, aggregators on
// each. The other cases of this chapter run over all nodes as they do on one.
#include "support/nodes.hpp"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "mpi/io/scratch_file.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// Looks past MPI for a file until it is there or half a minute is over.
bool appears(const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (access(path.c_str(), F_OK) != 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

MPI_CASE("nonblocking accesses by the shared pointer return while rank 0 is not in MPI", 2, 8) {
  const ScratchFile scratch(world);
  const std::string mark = std::string(scratch.path()) + ".returned";
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  MPI_Barrier(world.comm);
  constexpr int kWrites = 20;
  std::vector<MPI_Request> requests(kWrites, MPI_REQUEST_NULL);
  std::vector<int> values(kWrites);
  for (int i = 0; i < kWrites; ++i) values[static_cast<std::size_t>(i)] = 100 * world.rank + i;
  const auto write_all = [&] {
    for (std::size_t i = 0; i < kWrites; ++i) {
      OK(MPI_File_iwrite_shared(file, &values[i], 1, MPI_INT, &requests[i]));
    }
  };
  if (world.rank == 0) {
    CHECK(appears(mark));
    write_all();
  } else {
    write_all();
    if (world.rank == world.size - 1) close(open(mark.c_str(), O_CREAT | O_WRONLY, 0600));
  }
  MPI_Waitall(kWrites, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(world.comm);
  if (world.rank == 0) unlink(mark.c_str());
  // Each has its place, and those of one rank are in the order of their calls.
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  CHECK_EQ(position, kWrites * world.size);
  OK(MPI_File_sync(file));
  std::vector<int> all(static_cast<std::size_t>(kWrites * world.size), -1);
  OK(MPI_File_read_at_all(file, 0, all.data(), static_cast<int>(all.size()), MPI_INT, MPI_STATUS_IGNORE));
  std::vector<int> next(static_cast<std::size_t>(world.size), 0);
  for (const int value : all) {
    const auto writer = static_cast<std::size_t>(value / 100);
    if (value < 0 || writer >= next.size()) {
      CHECK_EQ(value, 0);
      break;
    }
    CHECK_EQ(value % 100, next[writer]++);
  }
  OK(MPI_File_close(&file));
}

MPI_CASE("a freed request of the shared pointer is done when the file is closed", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const std::vector<int> mine(1000, world.rank + 1);
  MPI_Request request = MPI_REQUEST_NULL;
  OK(MPI_File_iwrite_shared(file, mine.data(), 1000, MPI_INT, &request));
  MPI_Request_free(&request);
  OK(MPI_File_close(&file));
  const std::vector<unsigned char> all = scratch.bytes();
  CHECK_EQ(all.size(), sizeof(int) * 1000 * static_cast<std::size_t>(world.size));
  // The lowest byte of each value says whose it is.
  for (int rank = 0; rank < world.size; ++rank) CHECK_EQ(std::count(all.begin(), all.end(), rank + 1), 1000);
}

MPI_CASE("a view too short for what the shared pointer claims is an error of the request", 2, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const Type nothing(contiguous_type(0, MPI_INT));
  OK(MPI_File_set_view(file, 0, MPI_INT, nothing, "native", MPI_INFO_NULL));
  int value = 7;
  MPI_Request request = MPI_REQUEST_NULL;
  // Where the pointer is near the call itself fails.
  int code = MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request);
  if (code == MPI_SUCCESS) {
    const ReturnErrors returning;
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK_EQ(class_of(code), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
}

/// Of a job on several nodes each of which has a folder of this name for itself.
MPI_CASE("a file that each node has for itself is refused on every rank", 2, 8) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank_here = 0;
  MPI_Comm_rank(node, &rank_here);
  MPI_Comm_free(&node);
  const ScratchFile scratch(world);  // for a name that nobody else has
  std::string path = scratch.path();
  path = "/dev/shm" + path.substr(4);
  for (char& letter : path) letter = letter == '/' && &letter > path.data() + 9 ? '-' : letter;
  // The first rank of each node writes who it is; where the folder is shared all write into the same file.
  if (rank_here == 0) {
    const int descriptor = open(path.c_str(), O_CREAT | O_RDWR, 0600);
    const char mine = static_cast<char>('0' + world.rank);
    CHECK_EQ(pwrite(descriptor, &mine, 1, world.rank), 1);
    close(descriptor);
  }
  MPI_Barrier(world.comm);
  char seen[8] = {};
  const int descriptor = open(path.c_str(), O_RDONLY);
  CHECK(pread(descriptor, seen, sizeof seen, 0) > 0);
  close(descriptor);
  std::string all(sizeof seen * static_cast<std::size_t>(world.size), ' ');
  MPI_Allgather(seen, sizeof seen, MPI_CHAR, all.data(), sizeof seen, MPI_CHAR, world.comm);
  std::set<std::string> different;
  for (std::size_t at = 0; at < all.size(); at += sizeof seen) different.insert(all.substr(at, sizeof seen));
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(world.comm, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (different.size() == 1) {
    OK(code);
    OK(MPI_File_close(&file));
  } else {
    CHECK_EQ(class_of(code), MPI_ERR_NOT_SAME);
    CHECK(file == MPI_FILE_NULL);
  }
  MPI_Barrier(world.comm);
  if (rank_here == 0) unlink(path.c_str());
}

}  // namespace
}  // namespace starling::tests
