// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where accesses take place: explicit offsets, the individual and the shared pointer (MPI-5.0, 14.4.2 to 14.4.4).
#include <algorithm>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

MPI_CASE("explicit offsets count etypes and move no pointer", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const int mine[2] = {world.rank, -world.rank};
  MPI_Status status;
  OK(MPI_File_write_at(file, 2 * world.rank, mine, 2, MPI_INT, &status));
  CHECK_EQ(count_of(status, MPI_INT), 2);
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  CHECK_EQ(position, 0);
  OK(MPI_File_sync(file));
  MPI_Barrier(world.comm);
  for (int rank = 0; rank < world.size; ++rank) {
    int theirs[2] = {-9, -9};
    OK(MPI_File_read_at(file, 2 * rank, theirs, 2, MPI_INT, &status));
    CHECK_EQ(theirs[0], rank);
    CHECK_EQ(theirs[1], -rank);
  }
  FAILS(MPI_File_read_at(file, -1, nullptr, 0, MPI_INT, &status), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
  std::vector<unsigned char> all = scratch.bytes();
  CHECK_EQ(all.size(), 16 + sizeof mine * static_cast<std::size_t>(world.size));
  CHECK(std::all_of(all.begin(), all.begin() + 16, [](unsigned char byte) { return byte == 0; }));
}

MPI_CASE("the individual pointer moves on and can be sought", 1, 8) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(256, 5));
  const std::vector<unsigned char> all = pattern(256, 5);
  MPI_File file = scratch.open(MPI_MODE_RDONLY);
  unsigned char bytes[64];
  MPI_Status status;
  MPI_Offset position = -1;
  OK(MPI_File_seek(file, world.rank, MPI_SEEK_SET));
  OK(MPI_File_read(file, bytes, 10, MPI_BYTE, &status));
  CHECK(std::equal(bytes, bytes + 10, all.begin() + world.rank));
  OK(MPI_File_seek(file, 5, MPI_SEEK_CUR));
  OK(MPI_File_get_position(file, &position));
  CHECK_EQ(position, world.rank + 15);
  OK(MPI_File_seek(file, -6, MPI_SEEK_END));
  OK(MPI_File_read(file, bytes, 10, MPI_BYTE, &status));
  CHECK_EQ(count_of(status, MPI_BYTE), 6);
  CHECK(std::equal(bytes, bytes + 6, all.begin() + 250));
  FAILS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  FAILS(MPI_File_seek(file, 0, 12345), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
}

MPI_CASE("a read ends at the end of the file and leaves the rest of the buffer alone", 1, 8) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(30, 3));
  MPI_File file = scratch.open(MPI_MODE_RDONLY);
  std::vector<unsigned char> bytes(100, 0xee);
  MPI_Status status;
  OK(MPI_File_read_at_all(file, 20, bytes.data(), 100, MPI_BYTE, &status));
  CHECK_EQ(count_of(status, MPI_BYTE), 10);
  CHECK(std::all_of(bytes.begin() + 10, bytes.end(), [](unsigned char byte) { return byte == 0xee; }));
  OK(MPI_File_read_at(file, 28, bytes.data(), 1, MPI_INT, &status));
  CHECK_EQ(count_of(status, MPI_INT), MPI_UNDEFINED);
  CHECK_EQ(count_of(status, MPI_BYTE), 2);
  OK(MPI_File_read_at(file, 1000, bytes.data(), 4, MPI_BYTE, &status));
  CHECK_EQ(count_of(status, MPI_BYTE), 0);
  OK(MPI_File_close(&file));
}

MPI_CASE("the shared pointer gives every access a place of its own", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  constexpr int kWrites = 50;
  for (int i = 0; i < kWrites; ++i) {
    const int record[2] = {world.rank, i};
    OK(MPI_File_write_shared(file, record, 2, MPI_INT, MPI_STATUS_IGNORE));
  }
  MPI_Barrier(world.comm);
  MPI_Offset position = -1;
  OK(MPI_File_get_position_shared(file, &position));
  CHECK_EQ(position, 2 * kWrites * world.size);
  std::vector<int> all(static_cast<std::size_t>(2 * kWrites * world.size), -1);
  OK(MPI_File_sync(file));
  OK(MPI_File_read_at_all(file, 0, all.data(), static_cast<int>(all.size()), MPI_INT, MPI_STATUS_IGNORE));
  std::vector<int> next(static_cast<std::size_t>(world.size), 0);
  bool in_order = true;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    if (all[i] < 0 || all[i] >= world.size) {
      in_order = false;
      break;
    }
    in_order = in_order && next[static_cast<std::size_t>(all[i])]++ == all[i + 1];
  }
  CHECK(in_order);
  MPI_Barrier(world.comm);
  // Reads share it too: together they see everything once.
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  long sum = 0;
  for (int i = 0; i < kWrites; ++i) {
    int record[2] = {0, 0};
    OK(MPI_File_read_shared(file, record, 2, MPI_INT, MPI_STATUS_IGNORE));
    sum += record[0] * 1000 + record[1];
  }
  long total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, world.comm);
  long expected = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) expected += all[i] * 1000 + all[i + 1];
  CHECK_EQ(total, expected);
  OK(MPI_File_close(&file));
}

MPI_CASE("ordered accesses follow the ranks, whatever their sizes", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_Status status;
  std::vector<int> expected;
  for (int round = 0; round < 5; ++round) {
    for (int rank = 0; rank < world.size; ++rank) {
      for (int i = 0; i < (rank + round) % 4; ++i) expected.push_back(100 * rank + round);
    }
    const int count = (world.rank + round) % 4;
    const std::vector<int> mine(4, 100 * world.rank + round);
    OK(MPI_File_write_ordered(file, mine.data(), count, MPI_INT, &status));
    CHECK_EQ(count_of(status, MPI_INT), count);
  }
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  for (int round = 0; round < 5; ++round) {
    const int count = (world.rank + round) % 4;
    std::vector<int> mine(4, -1);
    if (round % 2 == 0) {
      OK(MPI_File_read_ordered(file, mine.data(), count, MPI_INT, &status));
    } else {
      OK(MPI_File_read_ordered_begin(file, mine.data(), count, MPI_INT));
      OK(MPI_File_read_ordered_end(file, mine.data(), &status));
    }
    CHECK_EQ(count_of(status, MPI_INT), count);
    for (int i = 0; i < 4; ++i) {
      CHECK_EQ(mine[static_cast<std::size_t>(i)], i < count ? 100 * world.rank + round : -1);
    }
  }
  std::vector<int> all(expected.size());
  OK(MPI_File_read_at_all(file, 0, all.data(), static_cast<int>(all.size()), MPI_INT, &status));
  CHECK(all == expected);
  OK(MPI_File_close(&file));
}

MPI_CASE("the shared pointer is sought by all alike", 2, 8) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(100, 1));
  MPI_File file = scratch.open(MPI_MODE_RDONLY);
  MPI_Offset position = -1;
  OK(MPI_File_seek_shared(file, -10, MPI_SEEK_END));
  OK(MPI_File_get_position_shared(file, &position));
  CHECK_EQ(position, 90);
  MPI_Barrier(world.comm);
  FAILS(MPI_File_seek_shared(file, world.rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
