// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Views: what a process sees of a file (MPI-5.0, 14.3).
#include <algorithm>
#include <numeric>
#include <vector>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a new file is seen as bytes", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_Offset disp = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING];
  OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
  CHECK_EQ(disp, 0);
  CHECK(etype == MPI_BYTE);
  CHECK(filetype == MPI_BYTE);
  CHECK_EQ(std::string(datarep), "native");
  OK(MPI_File_close(&file));
}

MPI_CASE("a view is given back as it was set, also after its types are freed", 1, 4) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_Datatype made = vector_type(3, 2, 5, MPI_INT);
  MPI_Type_commit(&made);
  OK(MPI_File_set_view(file, 8, MPI_INT, made, "internal", MPI_INFO_NULL));
  MPI_Type_free(&made);
  MPI_Offset disp = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING];
  OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
  CHECK_EQ(disp, 8);
  CHECK(etype == MPI_INT);
  CHECK_EQ(std::string(datarep), "internal");
  // A new type with the same typemap, however it was made.
  MPI_Aint lower = -1;
  MPI_Aint extent = -1;
  int size = -1;
  MPI_Type_get_extent(filetype, &lower, &extent);
  MPI_Type_size(filetype, &size);
  CHECK_EQ(lower, 0);
  CHECK_EQ(extent, 48);
  CHECK_EQ(size, 24);
  MPI_Type_free(&filetype);
  OK(MPI_File_close(&file));
}

MPI_CASE("each rank writes its columns of a matrix and reads its rows", 1, 8) {
  const ScratchFile scratch(world);
  const int n = 6 * world.size;
  const int width = 6;
  MPI_File file = scratch.open();
  {
    const int sizes[2] = {n, n};
    const int columns[2] = {n, width};
    const int starts[2] = {0, width * world.rank};
    MPI_Datatype subarray = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, columns, starts, MPI_ORDER_C, MPI_INT, &subarray);
    const Type filetype(subarray);
    OK(MPI_File_set_view(file, 4, MPI_INT, filetype, "native", MPI_INFO_NULL));
  }
  std::vector<int> mine(static_cast<std::size_t>(n * width));
  for (int row = 0; row < n; ++row) {
    for (int i = 0; i < width; ++i) {
      mine[static_cast<std::size_t>(row * width + i)] = row * n + width * world.rank + i;
    }
  }
  // Half of it by each kind of call.
  OK(MPI_File_write(file, mine.data(), n * width / 2, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_write_all(file, mine.data() + n * width / 2, n * width / 2, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(file));
  MPI_Barrier(world.comm);
  OK(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  std::vector<int> rows(static_cast<std::size_t>(n * width), -1);
  OK(MPI_File_read_at(file, n * width * world.rank, rows.data(), n * width, MPI_INT, MPI_STATUS_IGNORE));
  int wrong = 0;
  for (int i = 0; i < n * width; ++i) wrong += rows[static_cast<std::size_t>(i)] != n * width * world.rank + i;
  CHECK_EQ(wrong, 0);
  OK(MPI_File_close(&file));
}

MPI_CASE("positions in a view with holes", 1, 4) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(100, 9));
  const std::vector<unsigned char> all = pattern(100, 9);
  MPI_File file = scratch.open(MPI_MODE_RDONLY);
  const Type filetype(resized_type(contiguous_type(4, MPI_BYTE), 0, 12));
  OK(MPI_File_set_view(file, 3, MPI_SHORT, filetype, "native", MPI_INFO_NULL));
  MPI_Offset byte = -1;
  OK(MPI_File_get_byte_offset(file, 5, &byte));
  CHECK_EQ(byte, 3 + 2 * 12 + 2);
  // 97 bytes behind the displacement are 8 whole tiles and one byte of the ninth: 16 shorts and a piece of one.
  MPI_Offset position = -1;
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &position));
  CHECK_EQ(position, 17);
  unsigned char bytes[40];
  MPI_Status status;
  OK(MPI_File_read_at(file, 1, bytes, 4, MPI_SHORT, &status));
  CHECK_EQ(count_of(status, MPI_SHORT), 4);
  const std::size_t places[] = {5, 15, 17, 27};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_EQ(bytes[2 * i], all[places[i]]);
    CHECK_EQ(bytes[2 * i + 1], all[places[i] + 1]);
  }
  OK(MPI_File_read_at(file, 15, bytes, 10, MPI_SHORT, &status));
  CHECK_EQ(count_of(status, MPI_BYTE), 3);
  OK(MPI_File_close(&file));
}

MPI_CASE("memory with gaps meets a view with gaps", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const Type filetype(resized_type(contiguous_type(3, MPI_INT), 0, 12 * world.size));
  OK(MPI_File_set_view(file, 12 * world.rank, MPI_INT, filetype, "native", MPI_INFO_NULL));
  const Type memory(vector_type(30, 2, 5, MPI_INT));
  std::vector<int> mine(150, -1);
  for (int i = 0; i < 60; ++i) mine[static_cast<std::size_t>(i / 2 * 5 + i % 2)] = 1000 * world.rank + i;
  MPI_Status status;
  OK(MPI_File_write_at(file, 0, mine.data(), 1, memory, &status));
  CHECK_EQ(count_of(status, memory), 1);
  std::vector<int> back(150, -7);
  OK(MPI_File_read_at(file, 0, back.data(), 1, memory, &status));
  for (int i = 0; i < 150; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK_EQ(back[at], i % 5 < 2 && i < 147 ? mine[at] : -7);
  }
  OK(MPI_File_close(&file));
}

MPI_CASE("a filetype without data is for ranks that access nothing", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const Type nothing(contiguous_type(0, MPI_INT));
  const bool idle = world.rank % 2 == 1;
  OK(MPI_File_set_view(file, 0, MPI_INT, idle ? static_cast<MPI_Datatype>(nothing) : MPI_INT, "native", MPI_INFO_NULL));
  const int value = world.rank;
  OK(MPI_File_write_at_all(file, world.rank, &value, idle ? 0 : 1, MPI_INT, MPI_STATUS_IGNORE));
  if (idle) FAILS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
}

MPI_CASE("in a file that is only read data may overlap, but not go back", 1, 4) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  std::vector<int> values(8);
  std::iota(values.begin(), values.end(), 0);
  if (world.rank == 0) OK(MPI_File_write(file, values.data(), 8, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
  file = scratch.open(MPI_MODE_RDONLY);
  const Type overlapping(vector_type(3, 3, 2, MPI_INT));  // 0 1 2 2 3 4 4 5 6
  OK(MPI_File_set_view(file, 0, MPI_INT, overlapping, "native", MPI_INFO_NULL));
  std::vector<int> read(9, -1);
  OK(MPI_File_read(file, read.data(), 9, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(read == (std::vector<int>{0, 1, 2, 2, 3, 4, 4, 5, 6}));
  const Type going_back(vector_type(2, 3, 1, MPI_INT));  // 0 1 2 1 2 3
  FAILS(MPI_File_set_view(file, 0, MPI_INT, going_back, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  const Type backwards(vector_type(3, 1, -1, MPI_INT));
  FAILS(MPI_File_set_view(file, 8, MPI_INT, backwards, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
}

MPI_CASE("views that are none", 1, 4) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const Type five(contiguous_type(5, MPI_BYTE));
  FAILS(MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  FAILS(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  FAILS(MPI_File_set_view(file, 0, MPI_INT, five, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  const Type overlapping(vector_type(3, 3, 2, MPI_INT));
  FAILS(MPI_File_set_view(file, 0, MPI_INT, overlapping, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  FAILS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "nonsense", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
  // The view is still the first one.
  MPI_Offset byte = -1;
  OK(MPI_File_get_byte_offset(file, 7, &byte));
  CHECK_EQ(byte, 7);
  OK(MPI_File_close(&file));
}

MPI_CASE("data must be whole etypes", 1, 2) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
  const int values[3] = {1, 2, 3};
  FAILS(MPI_File_write_at(file, 0, values, 3, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
  OK(MPI_File_write_at(file, 0, values, 2, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
