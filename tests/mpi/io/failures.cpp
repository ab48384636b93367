// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Error handlers of files, and failures of the file system (MPI-5.0, 14.7, 14.8).
#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

thread_local int heard_class = 0;
thread_local MPI_File heard_file = MPI_FILE_NULL;

void hear(MPI_File* file, int* code, ...) {  // NOLINT(cert-dcl50-cpp): the signature is the standard's
  heard_class = class_of(*code);
  heard_file = *file;
}

MPI_CASE("a file has the error handler of MPI_FILE_NULL at its opening, then its own", 1, 4) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  const ScratchFile scratch(world);
  MPI_File file = scratch.open(MPI_MODE_CREATE | MPI_MODE_WRONLY);
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(hear, &mine);
  OK(MPI_File_set_errhandler(file, mine));
  heard_class = 0;
  int value = 0;
  FAILS(MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
  CHECK_EQ(heard_class, MPI_ERR_ACCESS);
  CHECK(heard_file == file);
  OK(MPI_File_get_errhandler(file, &handler));
  CHECK(handler == mine);
  MPI_Errhandler_free(&handler);
  OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
  CHECK_EQ(heard_class, MPI_ERR_IO);
  // The default for files that are opened from now on; a failed opening is its business too.
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  heard_class = 0;
  MPI_File none = MPI_FILE_NULL;
  FAILS(MPI_File_open(MPI_COMM_SELF, "/tmp/starling-is-not-here", MPI_MODE_RDONLY, MPI_INFO_NULL, &none),
        MPI_ERR_NO_SUCH_FILE);
  CHECK_EQ(heard_class, MPI_ERR_NO_SUCH_FILE);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&mine);
  OK(MPI_File_close(&file));
}

MPI_CASE("a closed file is no file", 1, 2) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  const MPI_File stale = file;
  OK(MPI_File_close(&file));
  MPI_Offset size = 0;
  FAILS(MPI_File_get_size(MPI_FILE_NULL, &size), MPI_ERR_FILE);
#if MPI_VERSION >= 5
  FAILS(MPI_File_get_size(stale, &size), MPI_ERR_FILE);
#else
  static_cast<void>(stale);
#endif
}

MPI_CASE("a full disk is an error of the write and of every rank of a collective one", 1, 8) {
  // This device has no room for anything.
  MPI_File file = MPI_FILE_NULL;
  OK(MPI_File_open(world.comm, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  const std::vector<int> values(300000, 7);
  MPI_Status status;
  for (const int count : {1, 300000}) {
    FAILS(MPI_File_write_at(file, 0, values.data(), count, MPI_INT, &status), MPI_ERR_NO_SPACE);
    CHECK_EQ(count_of(status, MPI_INT), 0);
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collective_buffering", "true");
  MPI_Info_set(info, "cb_nodes", "1");
  const Type filetype(resized_type(contiguous_type(1, MPI_INT), 0, 4 * world.size));
  OK(MPI_File_set_view(file, 4 * world.rank, MPI_INT, filetype, "native", info));
  MPI_Info_free(&info);
  FAILS(MPI_File_write_at_all(file, 0, values.data(), 1000, MPI_INT, &status), MPI_ERR_NO_SPACE);
  CHECK_EQ(count_of(status, MPI_INT), 0);
  OK(MPI_File_write_at_all(file, 0, values.data(), 0, MPI_INT, &status));
  MPI_File_close(&file);
}

MPI_CASE("arguments that are wrong in themselves", 1, 2) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  int value = 0;
  FAILS(MPI_File_write_at(file, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
  FAILS(MPI_File_write_at(file, 0, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
  FAILS(MPI_File_write_at(file, 0, nullptr, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  FAILS(MPI_File_read_at(file, -3, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  MPI_Datatype uncommitted = contiguous_type(2, MPI_INT);
  FAILS(MPI_File_set_view(file, 0, MPI_INT, uncommitted, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
  MPI_Type_free(&uncommitted);
  OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace starling::tests
