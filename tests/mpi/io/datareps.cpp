// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Data representations: what is in the file is not what is in memory (MPI-5.0, 14.5).
#include <algorithm>
#include <cstddef>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

MPI_CASE("the native representation keeps extents", 1, 2) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_Aint extent = -1;
  OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
  CHECK_EQ(extent, static_cast<MPI_Aint>(sizeof(long)));
  OK(MPI_File_close(&file));
}

MPI_CASE("external32 is big-endian and as wide as the standard says", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  MPI_Aint extent = -1;
  OK(MPI_File_get_type_extent(file, MPI_LONG_DOUBLE, &extent));
  CHECK_EQ(extent, 16);
  const int mine[2] = {0x01020304, world.rank};
  MPI_Status status;
  OK(MPI_File_write_at_all(file, 2 * world.rank, mine, 2, MPI_INT, &status));
  CHECK_EQ(count_of(status, MPI_INT), 2);
  int back[2] = {-1, -1};
  OK(MPI_File_read_at_all(file, 2 * world.rank, back, 2, MPI_INT, &status));
  CHECK(std::equal(mine, mine + 2, back));
  OK(MPI_File_close(&file));
  const std::vector<unsigned char> all = scratch.bytes();
  CHECK_EQ(all.size(), static_cast<std::size_t>(8 * world.size));
  for (std::size_t i = 0; i < 4; ++i) CHECK_EQ(all[i], i + 1);
  CHECK_EQ(all[all.size() - 1], world.size - 1);
}

MPI_CASE("external32 with structures, interleaved, and a piece of one at the end", 1, 8) {
  struct Record {
    double value;
    short mark;
    int number;
  };
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {offsetof(Record, value), offsetof(Record, mark), offsetof(Record, number)};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_SHORT, MPI_INT};
  MPI_Datatype structure = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &structure);
  const Type record(structure);
  // In the file a record is 14 bytes without gaps.
  const MPI_Aint in_file[3] = {0, 8, 10};
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, in_file, types, &packed);
  const Type etype(packed);
  const Type filetype(resized_type(etype, 0, 14 * world.size));
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 14 * world.rank, etype, filetype, "external32", MPI_INFO_NULL));
  std::vector<Record> mine(40);
  for (int i = 0; i < 40; ++i) mine[static_cast<std::size_t>(i)] = {0.5 * i, static_cast<short>(-i), world.rank + i};
  MPI_Status status;
  OK(MPI_File_write_all(file, mine.data(), 40, record, &status));
  CHECK_EQ(count_of(status, record), 40);
  // 5 bytes less: the last rank's last record loses its number, and a byte of its mark.
  OK(MPI_File_set_size(file, 14 * 40 * world.size - 5));
  std::vector<Record> back(41, Record{-1, -1, -1});
  OK(MPI_File_read_at_all(file, 0, back.data(), 41, record, &status));
  const bool last = world.rank == world.size - 1;
  CHECK_EQ(count_of(status, MPI_BYTE), 40 * 14 - (last ? 6 : 0));
  int wrong = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const bool cut = last && i == 39;
    wrong += back[i].value != mine[i].value;
    wrong += back[i].mark != (cut ? -1 : mine[i].mark);
    wrong += back[i].number != (cut ? -1 : mine[i].number);
  }
  wrong += back[40].value != -1;
  CHECK_EQ(wrong, 0);
  OK(MPI_File_close(&file));
}

/// A representation in which every int is two bytes, and every byte is turned around; its state counts the calls.
struct Turned {
  int reads = 0;
  int writes = 0;

  static int extent(MPI_Datatype type, MPI_Aint* extent, void* /*state*/) {
    *extent = type == MPI_INT ? 2 : 1;
    return type == MPI_INT || type == MPI_BYTE ? MPI_SUCCESS : MPI_ERR_CONVERSION;
  }
  static int read(void* user, MPI_Datatype type, int count, void* filed, MPI_Offset position, void* state) {
    ++static_cast<Turned*>(state)->reads;
    if (type != MPI_INT) return MPI_ERR_CONVERSION;
    const auto* bytes = static_cast<const unsigned char*>(filed);
    for (int i = 0; i < count; ++i)
      static_cast<int*>(user)[position + i] = 255 - bytes[2 * i] + 256 * (255 - bytes[2 * i + 1]);
    return MPI_SUCCESS;
  }
  static int write(void* user, MPI_Datatype type, int count, void* filed, MPI_Offset position, void* state) {
    ++static_cast<Turned*>(state)->writes;
    if (type != MPI_INT) return MPI_ERR_CONVERSION;
    auto* bytes = static_cast<unsigned char*>(filed);
    for (int i = 0; i < count; ++i) {
      const int value = static_cast<const int*>(user)[position + i];
      bytes[2 * i] = static_cast<unsigned char>(255 - value % 256);
      bytes[2 * i + 1] = static_cast<unsigned char>(255 - value / 256);
    }
    return MPI_SUCCESS;
  }
};

MPI_CASE("a user's representation converts on the way", 1, 8) {
  // One of its own for each time that the case runs: representations are never forgotten.
  static thread_local int times = 0;
  static thread_local Turned turned;
  turned = {};
  const std::string name = "turned-" + std::to_string(times++);
  OK(MPI_Register_datarep(name.c_str(), Turned::read, Turned::write, Turned::extent, &turned));
  FAILS(MPI_Register_datarep(name.c_str(), Turned::read, Turned::write, Turned::extent, &turned), MPI_ERR_DUP_DATAREP);
  FAILS(MPI_Register_datarep("native", Turned::read, Turned::write, Turned::extent, &turned), MPI_ERR_DUP_DATAREP);
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name.c_str(), MPI_INFO_NULL));
  MPI_Aint extent = -1;
  OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
  CHECK_EQ(extent, 2);
  const Type three(contiguous_type(3, MPI_INT));
  OK(MPI_File_get_type_extent(file, three, &extent));
  CHECK_EQ(extent, 6);
  const int mine[3] = {world.rank, 300 + world.rank, 65535};
  OK(MPI_File_write_at_all(file, 3 * world.rank, mine, 3, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_EQ(turned.writes, 1);
  int back[4] = {-1, -1, -1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  OK(MPI_File_iread_at(file, 3 * world.rank, back, 3, MPI_INT, &request));
  MPI_Status status;
  OK(MPI_Wait(&request, &status));
  CHECK_EQ(count_of(status, MPI_INT), 3);
  CHECK(std::equal(mine, mine + 3, back));
  MPI_Barrier(world.comm);
  // At the end of the file a part of it.
  OK(MPI_File_read_at(file, 3 * world.size - 1, back, 4, MPI_INT, &status));
  CHECK_EQ(count_of(status, MPI_INT), 1);
  CHECK_EQ(back[0], 65535);
  OK(MPI_File_close(&file));
  const std::vector<unsigned char> all = scratch.bytes();
  CHECK_EQ(all.size(), static_cast<std::size_t>(6 * world.size));
  CHECK_EQ(all[0], 255);
  CHECK_EQ(all[2], 255 - 300 % 256);
}

MPI_CASE("a conversion function that fails fails the access", 1, 2) {
  static thread_local int times = 0;
  static thread_local Turned turned;
  const std::string name = "failing-" + std::to_string(times++);
  OK(MPI_Register_datarep(name.c_str(), Turned::read, Turned::write, Turned::extent, &turned));
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, name.c_str(), MPI_INFO_NULL));
  const char byte = 1;
  FAILS(MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
  FAILS(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, name.c_str(), MPI_INFO_NULL), MPI_ERR_CONVERSION);
  OK(MPI_File_close(&file));
}

MPI_CASE("a representation without functions converts nothing", 1, 2) {
  static thread_local int times = 0;
  const std::string name = "plain-" + std::to_string(times++);
  OK(MPI_Register_datarep(
      name.c_str(), MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
      [](MPI_Datatype type, MPI_Aint* extent, void*) {
        MPI_Aint lb = 0;
        return MPI_Type_get_extent(type, &lb, extent);
      },
      nullptr));
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name.c_str(), MPI_INFO_NULL));
  const int value = 42 + world.rank;
  OK(MPI_File_write_at(file, world.rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  int back = 0;
  OK(MPI_File_read_at(file, world.rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_EQ(back, value);
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
