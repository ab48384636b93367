// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and deleting: what the access modes mean and what they forbid (MPI-5.0, 14.2).
#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a file that is created is there after it was closed", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = MPI_FILE_NULL;
  OK(MPI_File_open(world.comm, scratch.path(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  int amode = 0;
  OK(MPI_File_get_amode(file, &amode));
  CHECK_EQ(amode, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  OK(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  CHECK(scratch.exists());
}

MPI_CASE("a file that is not there opens only with MPI_MODE_CREATE", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = MPI_FILE_NULL;
  FAILS(MPI_File_open(world.comm, scratch.path(), MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
  FAILS(MPI_File_open(world.comm, scratch.path(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
  FAILS(MPI_File_delete(scratch.path(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

MPI_CASE("MPI_MODE_EXCL refuses a file that exists", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  CHECK(file != MPI_FILE_NULL);
  OK(MPI_File_close(&file));
  FAILS(MPI_File_open(world.comm, scratch.path(), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &file),
        MPI_ERR_FILE_EXISTS);
}

MPI_CASE("access modes that contradict each other", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = MPI_FILE_NULL;
  for (const int amode :
       {0, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_MODE_RDONLY | MPI_MODE_EXCL,
        MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, int{MPI_MODE_CREATE}, MPI_MODE_RDWR | MPI_MODE_WRONLY}) {
    FAILS(MPI_File_open(world.comm, scratch.path(), amode, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
  }
  CHECK(!scratch.exists());
}

MPI_CASE("MPI_MODE_DELETE_ON_CLOSE", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  CHECK(scratch.exists());
  MPI_Barrier(world.comm);
  OK(MPI_File_close(&file));
  CHECK(!scratch.exists());
}

MPI_CASE("MPI_MODE_APPEND begins both pointers at the end", 1, 8) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(100, 1));
  MPI_File file = scratch.open(MPI_MODE_RDWR | MPI_MODE_APPEND);
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  CHECK_EQ(position, 100);
  OK(MPI_File_get_position_shared(file, &position));
  CHECK_EQ(position, 100);
  OK(MPI_File_close(&file));
}

MPI_CASE("what a read-only and a write-only file refuse", 1, 8) {
  const ScratchFile scratch(world);
  scratch.fill(pattern(64, 1));
  int value = 7;
  MPI_Status status;
  MPI_File file = scratch.open(MPI_MODE_RDONLY);
  FAILS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
  FAILS(MPI_File_write_all(file, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
  FAILS(MPI_File_set_size(file, 10), MPI_ERR_READ_ONLY);
  FAILS(MPI_File_preallocate(file, 10), MPI_ERR_READ_ONLY);
  OK(MPI_File_close(&file));
  file = scratch.open(MPI_MODE_WRONLY);
  FAILS(MPI_File_read_at(file, 0, &value, 1, MPI_INT, &status), MPI_ERR_ACCESS);
  FAILS(MPI_File_read_ordered(file, &value, 1, MPI_INT, &status), MPI_ERR_ACCESS);
  OK(MPI_File_close(&file));
  CHECK(scratch.bytes() == pattern(64, 1));
}

MPI_CASE("a sequential file has the shared pointer only", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  const int value = world.rank;
  MPI_Status status;
  FAILS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  FAILS(MPI_File_write(file, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  FAILS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  FAILS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
  OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
  OK(MPI_File_close(&file));
  file = scratch.open(MPI_MODE_RDONLY);
  std::vector<int> all(static_cast<std::size_t>(2 * world.size), -1);
  OK(MPI_File_read_all(file, all.data(), 2 * world.size, MPI_INT, &status));
  for (int i = 0; i < 2 * world.size; ++i) CHECK_EQ(all[static_cast<std::size_t>(i)], i % world.size);
  OK(MPI_File_close(&file));
}

MPI_CASE("the ranks must agree on the access mode", 2, 8) {
  const ScratchFile scratch(world);
  MPI_File file = MPI_FILE_NULL;
  const int amode = MPI_MODE_CREATE | (world.rank == 1 ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
  FAILS(MPI_File_open(world.comm, scratch.path(), amode, MPI_INFO_NULL, &file), MPI_ERR_NOT_SAME);
}

MPI_CASE("a folder, and a name in a folder that is not there", 1, 8) {
  MPI_File file = MPI_FILE_NULL;
  FAILS(MPI_File_open(world.comm, "/tmp", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
  FAILS(MPI_File_open(world.comm, "/tmp/starling-is-not-here/file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file),
        MPI_ERR_NO_SUCH_FILE);
}

MPI_CASE("a file belongs to the group of its communicator", 2, 8) {
  const ScratchFile scratch(world);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world.comm, world.rank % 2, 0, &half);
  MPI_File file = MPI_FILE_NULL;
  const std::string path = std::string(scratch.path()) + (world.rank % 2 == 0 ? "-even" : "-odd");
  OK(MPI_File_open(half, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  MPI_Group of_file = MPI_GROUP_NULL;
  MPI_Group of_comm = MPI_GROUP_NULL;
  OK(MPI_File_get_group(file, &of_file));
  MPI_Comm_group(half, &of_comm);
  int result = MPI_UNEQUAL;
  MPI_Group_compare(of_file, of_comm, &result);
  CHECK_EQ(result, MPI_IDENT);
  MPI_Group_free(&of_file);
  MPI_Group_free(&of_comm);
  OK(MPI_File_close(&file));
  MPI_Comm_free(&half);
}

MPI_CASE("the size can be set, and space reserved", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  MPI_Offset size = -1;
  OK(MPI_File_set_size(file, 1000));
  OK(MPI_File_get_size(file, &size));
  CHECK_EQ(size, 1000);
  OK(MPI_File_preallocate(file, 500));
  OK(MPI_File_get_size(file, &size));
  CHECK_EQ(size, 1000);
  OK(MPI_File_preallocate(file, 5000));
  OK(MPI_File_get_size(file, &size));
  CHECK_EQ(size, 5000);
  OK(MPI_File_set_size(file, 3));
  OK(MPI_File_get_size(file, &size));
  CHECK_EQ(size, 3);
  FAILS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
  OK(MPI_File_close(&file));
}

MPI_CASE("a hundred files after one another, and many at once", 1, 4) {
  const ScratchFile scratch(world);
  for (int i = 0; i < 100; ++i) {
    MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    if (!CHECK(file != MPI_FILE_NULL)) return;
    OK(MPI_File_close(&file));
  }
  std::vector<MPI_File> files(20, MPI_FILE_NULL);
  for (MPI_File& file : files) file = scratch.open();
  for (std::size_t i = 0; i < files.size(); ++i) {
    OK(MPI_File_write_shared(files[i], "x", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  }
  MPI_Barrier(world.comm);
  for (MPI_File& file : files) {
    MPI_Offset position = -1;
    OK(MPI_File_get_position_shared(file, &position));
    CHECK_EQ(position, world.size);
    MPI_Barrier(world.comm);
    OK(MPI_File_close(&file));
  }
}

}  // namespace
}  // namespace starling::tests
