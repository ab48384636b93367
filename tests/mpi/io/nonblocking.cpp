// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accesses that complete later: nonblocking ones and split collective ones (MPI-5.0, 14.4.1, 14.4.5).
#include <array>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {
namespace {

/// Small enough to be done at once, and large enough not to.
constexpr int kSizes[] = {1, 1000, 300 * 1024, 3 * 1024 * 1024};

MPI_CASE("nonblocking accesses at explicit offsets", 1, 4) {
  for (const int bytes : kSizes) {
    const ScratchFile scratch(world);
    MPI_File file = scratch.open();
    constexpr int kPieces = 4;
    std::vector<std::vector<unsigned char>> mine;
    std::array<MPI_Request, kPieces> requests;
    for (int i = 0; i < kPieces; ++i) mine.push_back(pattern(static_cast<std::size_t>(bytes), key_of(world.rank, i)));
    const auto place = [&](int rank, int i) { return MPI_Offset{bytes} * (rank * kPieces + i); };
    for (int i = 0; i < kPieces; ++i) {
      OK(MPI_File_iwrite_at(file, place(world.rank, i), mine[static_cast<std::size_t>(i)].data(), bytes, MPI_BYTE,
                            &requests[static_cast<std::size_t>(i)]));
    }
    std::array<MPI_Status, kPieces> statuses;
    OK(MPI_Waitall(kPieces, requests.data(), statuses.data()));
    for (const MPI_Status& status : statuses) CHECK_EQ(count_of(status, MPI_BYTE), bytes);
    MPI_Barrier(world.comm);
    const int other = (world.rank + 1) % world.size;
    std::vector<std::vector<unsigned char>> theirs(kPieces,
                                                   std::vector<unsigned char>(static_cast<std::size_t>(bytes)));
    for (int i = 0; i < kPieces; ++i) {
      OK(MPI_File_iread_at(file, place(other, i), theirs[static_cast<std::size_t>(i)].data(), bytes, MPI_BYTE,
                           &requests[static_cast<std::size_t>(i)]));
    }
    for (int left = kPieces; left > 0; --left) {
      int index = -1;
      MPI_Status status;
      OK(MPI_Waitany(kPieces, requests.data(), &index, &status));
      CHECK_EQ(count_of(status, MPI_BYTE), bytes);
      CHECK_EQ(first_wrong_byte(theirs[static_cast<std::size_t>(index)].data(), static_cast<std::size_t>(bytes),
                                key_of(other, index)),
               -1);
    }
    OK(MPI_File_close(&file));
  }
}

MPI_CASE("a nonblocking access takes its place from the pointer when it starts", 1, 4) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 8 * world.rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const int values[2] = {10 * world.rank, 10 * world.rank + 1};
  MPI_Request requests[2];
  OK(MPI_File_iwrite(file, &values[0], 1, MPI_INT, &requests[0]));
  OK(MPI_File_iwrite(file, &values[1], 1, MPI_INT, &requests[1]));
  MPI_Offset position = -1;
  OK(MPI_File_get_position(file, &position));
  CHECK_EQ(position, 2);
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  int back[2] = {-1, -1};
  OK(MPI_File_iread(file, back, 2, MPI_INT, &requests[0]));
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CHECK_EQ(back[0], values[0]);
  CHECK_EQ(back[1], values[1]);
  OK(MPI_File_close(&file));
}

MPI_CASE("nonblocking accesses through the shared pointer", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  MPI_Request request = MPI_REQUEST_NULL;
  OK(MPI_File_iwrite_shared(file, &world.rank, 1, MPI_INT, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Barrier(world.comm);
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  int value = -1;
  OK(MPI_File_iread_shared(file, &value, 1, MPI_INT, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  int sum = -1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world.comm);
  CHECK_EQ(sum, world.size * (world.size - 1) / 2);
  OK(MPI_File_close(&file));
}

/// Interleaved integers of all ranks.
void set_interleaved_view(const Context& world, MPI_File file) {
  const Type filetype(resized_type(contiguous_type(1, MPI_INT), 0, 4 * world.size));
  MPI_File_set_view(file, 4 * world.rank, MPI_INT, filetype, "native", MPI_INFO_NULL);
}

MPI_CASE("nonblocking collective accesses, several at once, while messages fly", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  set_interleaved_view(world, file);
  constexpr int kCount = 20000;
  std::vector<int> first(kCount, world.rank);
  std::vector<int> second(kCount, -world.rank);
  MPI_Request requests[3];
  OK(MPI_File_iwrite_at_all(file, 0, first.data(), kCount, MPI_INT, &requests[0]));
  OK(MPI_File_seek(file, kCount, MPI_SEEK_SET));
  OK(MPI_File_iwrite_all(file, second.data(), kCount, MPI_INT, &requests[1]));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  int from = -1;
  MPI_Sendrecv(&world.rank, 1, MPI_INT, (world.rank + 1) % world.size, 3, &from, 1, MPI_INT,
               (world.rank + world.size - 1) % world.size, 3, world.comm, MPI_STATUS_IGNORE);
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  std::vector<int> back(2 * kCount, 77);
  OK(MPI_File_iread_all(file, back.data(), kCount, MPI_INT, &requests[0]));
  OK(MPI_File_iread_all(file, back.data() + kCount, kCount, MPI_INT, &requests[1]));
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  int wrong = 0;
  for (int i = 0; i < 2 * kCount; ++i) {
    wrong += back[static_cast<std::size_t>(i)] != (i < kCount ? world.rank : -world.rank);
  }
  CHECK_EQ(wrong, 0);
  OK(MPI_File_close(&file));
}

MPI_CASE("split collective accesses, one at a time", 1, 8) {
  const ScratchFile scratch(world);
  MPI_File file = scratch.open();
  set_interleaved_view(world, file);
  const std::vector<int> mine(100, world.rank);
  MPI_Status status;
  OK(MPI_File_write_all_begin(file, mine.data(), 100, MPI_INT));
  FAILS(MPI_File_write_all_begin(file, mine.data(), 100, MPI_INT), MPI_ERR_OTHER);
  FAILS(MPI_File_read_all_end(file, nullptr, &status), MPI_ERR_OTHER);
  OK(MPI_File_write_all_end(file, mine.data(), &status));
  CHECK_EQ(count_of(status, MPI_INT), 100);
  FAILS(MPI_File_write_all_end(file, mine.data(), &status), MPI_ERR_OTHER);
  std::vector<int> back(100, -1);
  OK(MPI_File_read_at_all_begin(file, 0, back.data(), 100, MPI_INT));
  OK(MPI_File_read_at_all_end(file, back.data(), &status));
  CHECK_EQ(count_of(status, MPI_INT), 100);
  CHECK(back == mine);
  OK(MPI_File_write_ordered_begin(file, mine.data(), 1, MPI_INT));
  OK(MPI_File_write_ordered_end(file, mine.data(), &status));
  OK(MPI_File_write_at_all_begin(file, 0, mine.data(), 7, MPI_INT));
  OK(MPI_File_write_at_all_end(file, mine.data(), &status));
  CHECK_EQ(count_of(status, MPI_INT), 7);
  OK(MPI_File_read_all_begin(file, back.data(), 3, MPI_INT));
  OK(MPI_File_read_all_end(file, back.data(), &status));
  OK(MPI_File_close(&file));
}

MPI_CASE("a freed request's access has taken place when the file is closed", 1, 2) {
  const ScratchFile scratch(world);
  const int bytes = 1 << 20;
  const std::vector<unsigned char> mine = pattern(2 * bytes, static_cast<std::uint64_t>(world.rank));
  const MPI_Offset place = MPI_Offset{2 * bytes} * world.rank;
  MPI_File file = scratch.open();
  MPI_Request request = MPI_REQUEST_NULL;
  OK(MPI_File_iwrite_at(file, place, mine.data(), bytes, MPI_BYTE, &request));
  OK(MPI_Request_free(&request));
  OK(MPI_File_iwrite_at_all(file, place + bytes, mine.data() + bytes, bytes, MPI_BYTE, &request));
  OK(MPI_Request_free(&request));
  OK(MPI_File_close(&file));

  file = scratch.open(MPI_MODE_RDONLY);
  std::vector<unsigned char> back(mine.size());
  OK(MPI_File_read_at(file, place, back.data(), 2 * bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(back == mine);
  OK(MPI_File_close(&file));
}

MPI_CASE("a failed nonblocking access fails its request", 1, 2) {
  MPI_File file = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  const std::vector<unsigned char> mine(1 << 20, 1);
  for (const int bytes : {100, 1 << 20}) {
    MPI_Request request = MPI_REQUEST_NULL;
    OK(MPI_File_iwrite_at(file, 0, mine.data(), bytes, MPI_BYTE, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK(request == MPI_REQUEST_NULL);
  }
  MPI_File_close(&file);
}

}  // namespace
}  // namespace starling::tests
