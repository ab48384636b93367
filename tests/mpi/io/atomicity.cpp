// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Concurrent accesses of the same and of neighbouring bytes (MPI-5.0, 14.6).
#include <algorithm>
#include <array>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

bool all_equal(const std::vector<unsigned char>& bytes) {
  return std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end();
}

MPI_CASE("in atomic mode overlapping writes happen one after the other", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  int flag = -1;
  OK(MPI_File_get_atomicity(file, &flag));
  CHECK_EQ(flag, 0);
  OK(MPI_File_set_atomicity(file, 1));
  OK(MPI_File_get_atomicity(file, &flag));
  CHECK_EQ(flag, 1);
  // Every rank writes the same strided bytes; whoever comes last, the bytes are all his.
  const Type filetype(resized_type(contiguous_type(3, MPI_BYTE), 0, 17));
  OK(MPI_File_set_view(file, 0, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
  constexpr int kBytes = 3000;
  const std::vector<unsigned char> mine(kBytes, static_cast<unsigned char>(world.rank + 1));
  std::vector<unsigned char> seen(kBytes);
  for (int round = 0; round < 10; ++round) {
    MPI_Barrier(world.comm);
    OK(MPI_File_write_at(file, 0, mine.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 0, seen.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(all_equal(seen));
    MPI_Barrier(world.comm);
    OK(MPI_File_write_at_all(file, 0, mine.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, seen.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(all_equal(seen));
  }
  OK(MPI_File_close(&file));
}

MPI_CASE("in atomic mode a write is seen at once by all", 2, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_atomicity(file, 1));
  for (int round = 0; round < 20; ++round) {
    const int writer = round % world.size;
    if (world.rank == writer) OK(MPI_File_write_at(file, 0, &round, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Barrier(world.comm);
    int seen = -1;
    OK(MPI_File_read_at(file, 0, &seen, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(seen, round);
    MPI_Barrier(world.comm);
  }
  OK(MPI_File_close(&file));
}

MPI_CASE("neighbours who write at the same time lose nothing", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_File other = scratch.open();
  // Three kinds of writers share every page: strided, collective on the same handle, and through another handle.
  const int lanes = 3 * world.size;
  const Type lane(resized_type(contiguous_type(5, MPI_BYTE), 0, 5 * lanes));
  constexpr int kBytes = 5 * 1500;
  std::array<std::vector<unsigned char>, 3> data;
  for (int kind = 0; kind < 3; ++kind) {
    data[static_cast<std::size_t>(kind)] = pattern(kBytes, key_of(world.rank, kind));
  }
  OK(MPI_File_set_view(file, 5 * world.rank, MPI_BYTE, lane, "native", MPI_INFO_NULL));
  MPI_Request requests[2];
  OK(MPI_File_iwrite_at(file, 0, data[0].data(), kBytes, MPI_BYTE, &requests[0]));
  OK(MPI_File_set_view(other, 5 * (2 * world.size + world.rank), MPI_BYTE, lane, "native", MPI_INFO_NULL));
  OK(MPI_File_set_view(file, 5 * (world.size + world.rank), MPI_BYTE, lane, "native", MPI_INFO_NULL));
  OK(MPI_File_iwrite_at_all(file, 0, data[1].data(), kBytes, MPI_BYTE, &requests[1]));
  OK(MPI_File_write_at(other, 0, data[2].data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  OK(MPI_File_close(&other));
  OK(MPI_File_close(&file));
  const std::vector<unsigned char> all = scratch.bytes();
  CHECK_EQ(all.size(), static_cast<std::size_t>(lanes) * kBytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto lane_number = static_cast<int>(i / 5) % lanes;
    const std::size_t position = i / static_cast<std::size_t>(5 * lanes) * 5 + i % 5;
    wrong += all[i] != pattern_byte(key_of(lane_number % world.size, lane_number / world.size), position);
  }
  CHECK_EQ(wrong, 0U);
}

}  // namespace
}  // namespace starling::tests
