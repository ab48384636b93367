// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls that move more than 2^31 elements (MPI-5.0, 2.5.8, the _c forms). Each rank takes a little over 2 GiB; the
// collectives far less, for most of their buffers is one stretch of memory again and again.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

constexpr MPI_Count kBytes = (MPI_Count{1} << 31) + 2 * 4096;
constexpr MPI_Count kWords = kBytes / 8;

/// Memory that is real only where it is touched.
class Words {
 public:
  Words() : data_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Words() { munmap(data_, kBytes); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  [[nodiscard]] explicit operator bool() const { return data_ != MAP_FAILED; }
  [[nodiscard]] std::uint64_t* begin() const { return static_cast<std::uint64_t*>(data_); }

  static std::uint64_t word(MPI_Count index, std::uint64_t salt) {
    return (static_cast<std::uint64_t>(index) + salt) * 0x9e3779b97f4a7c15U;
  }
  void fill(std::uint64_t salt) const {
    for (MPI_Count i = 0; i < kWords; ++i) begin()[i] = word(i, salt);
  }
  /// The first word that is not as filled, or kWords.
  [[nodiscard]] MPI_Count first_wrong(std::uint64_t salt) const {
    MPI_Count i = 0;
    while (i < kWords && begin()[i] == word(i, salt)) ++i;
    return i;
  }

 private:
  void* data_;
};

MPI_CASE("a message of more than 2^31 elements arrives, and the status counts them", 2, 2) {
  const Words words;
  if (!CHECK(words)) return;
  if (world.rank == 0) {
    words.fill(1);
    MPI_Send_c(words.begin(), kBytes, MPI_BYTE, 1, 7, world.comm);
    return;
  }
  MPI_Status status;
  MPI_Recv_c(words.begin(), kBytes, MPI_BYTE, 0, 7, world.comm, &status);
  MPI_Count bytes = 0, elements = 0;
  MPI_Get_count_c(&status, MPI_BYTE, &bytes);
  MPI_Get_elements_c(&status, MPI_INT64_T, &elements);
  CHECK_EQ(bytes, kBytes);
  CHECK_EQ(elements, kWords);
  int narrow = 0;
  MPI_Get_count(&status, MPI_BYTE, &narrow);
  CHECK_EQ(narrow, MPI_UNDEFINED);  // it does not fit an int
  CHECK_EQ(words.first_wrong(1), kWords);
}

MPI_CASE("more than 2^31 elements of one byte that is sent again and again", 2, 2) {
  MPI_Datatype again = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_BYTE, 0, 0, &again);
  MPI_Type_commit(&again);
  const unsigned char byte = 0xa7;
  const Words words;
  if (!CHECK(words)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Isend_c(&byte, kBytes, again, 1, 8, world.comm, &request);
  } else {
    MPI_Irecv_c(words.begin(), kBytes, MPI_BYTE, 0, 8, world.comm, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (world.rank == 1) {
    const auto wrong = [](std::uint64_t word) { return word != 0xa7a7a7a7a7a7a7a7U; };
    CHECK_EQ(std::count_if(words.begin(), words.begin() + kWords, wrong), 0);
  }
  MPI_Type_free(&again);
}

MPI_CASE("a broadcast of more than 2^31 elements arrives", 2, 2) {
  const Words words;
  if (!CHECK(words)) return;
  if (world.rank == 1) words.fill(2);
  MPI_Bcast_c(words.begin(), kBytes, MPI_BYTE, 1, world.comm);
  CHECK_EQ(words.first_wrong(2), kWords);
}

/// Blocks of kBytes, one behind the other: all but the last bytes of each are the same 16 MiB, mapped many times, whose
/// values depend on where they lie there; the last bytes of a block are its own.
class Blocks {
 public:
  explicit Blocks(int count) : length_(static_cast<std::size_t>(count * kBytes)) {
    const int file = memfd_create("blocks", MFD_CLOEXEC);
    if (file < 0) return;
    good_ = ftruncate(file, kPeriod) == 0;
    data_ = mmap(nullptr, length_, kReadWrite, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; *this && i < count; ++i) {
      for (MPI_Count at = 0; at < kBody; at += kPeriod) {
        if (mmap(block(i) + at, kPeriod, kReadWrite, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) good_ = false;
      }
    }
    close(file);
  }
  ~Blocks() { munmap(data_, length_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] explicit operator bool() const { return good_ && data_ != MAP_FAILED; }
  [[nodiscard]] unsigned char* block(int index) const { return static_cast<unsigned char*>(data_) + index * kBytes; }

  /// The mark, 0 to 7, stands in each of the last bytes.
  void fill(int index, int mark) const {
    for (MPI_Count i = 0; i < kPeriod; ++i) block(index)[i] = of_body(i);
    for (MPI_Count i = kBody; i < kBytes; ++i) block(index)[i] = of_end(i, mark);
  }
  void clear(int index) const {
    std::fill_n(block(index), kPeriod, static_cast<unsigned char>(0));
    std::fill(block(index) + kBody, block(index) + kBytes, static_cast<unsigned char>(0));
  }
  /// The first byte that is not as filled, or kBytes.
  [[nodiscard]] MPI_Count first_wrong(int index, int mark) const {
    for (MPI_Count i = 0; i < kPeriod; ++i) {
      if (block(index)[i] != of_body(i)) return i;
    }
    MPI_Count i = kBody;
    while (i < kBytes && block(index)[i] == of_end(i, mark)) ++i;
    return i;
  }

 private:
  static constexpr MPI_Count kPeriod = MPI_Count{16} << 20;
  static constexpr MPI_Count kBody = MPI_Count{1} << 31;
  static constexpr int kReadWrite = PROT_READ | PROT_WRITE;

  static unsigned char of_body(MPI_Count i) { return static_cast<unsigned char>(0x80 | ((i >> 12) ^ i)); }
  static unsigned char of_end(MPI_Count i, int mark) { return static_cast<unsigned char>((i % 7) << 4 | mark); }

  std::size_t length_;
  void* data_ = MAP_FAILED;
  bool good_ = false;
};

/// What a collective of two ranks works on: a block of this rank's, one for each rank, and room for two.
struct Exchange {
  explicit Exchange(const Context& world) {
    if (!*this) return;
    mine.fill(0, mark(world.rank));
    for (int to = 0; to < 2; ++to) each.fill(to, mark(world.rank) | 4 * to);
    for (int i = 0; i < 2; ++i) room.clear(i);
  }
  [[nodiscard]] explicit operator bool() const { return mine && each && room; }
  [[nodiscard]] static int mark(int rank) { return 1 + rank; }

  void expect(Context& world, std::initializer_list<int> marks) const {
    int index = 0;
    for (const int mark : marks) CHECK_EQ(room.first_wrong(index++, mark), kBytes);
    for (int i = 0; i < 2; ++i) room.clear(i);
  }

  Blocks mine{1}, each{2}, room{2};
  std::array<MPI_Count, 2> counts = {kBytes, kBytes};
  std::array<MPI_Aint, 2> places = {0, kBytes};
};

constexpr int kBoth = 3;  // the marks of both ranks, or-ed

MPI_CASE("blocks of more than 2^31 elements are gathered", 2, 2) {
  const Exchange x(world);
  if (!CHECK(x)) return;
  MPI_Gather_c(x.mine.block(0), kBytes, MPI_BYTE, x.room.block(0), kBytes, MPI_BYTE, 1, world.comm);
  if (world.rank == 1) x.expect(world, {1, 2});
  MPI_Gatherv_c(x.mine.block(0), kBytes, MPI_BYTE, x.room.block(0), x.counts.data(), x.places.data(), MPI_BYTE, 0,
                world.comm);
  if (world.rank == 0) x.expect(world, {1, 2});
  MPI_Allgather_c(x.mine.block(0), kBytes, MPI_BYTE, x.room.block(0), kBytes, MPI_BYTE, world.comm);
  x.expect(world, {1, 2});
  MPI_Allgatherv_c(x.mine.block(0), kBytes, MPI_BYTE, x.room.block(0), x.counts.data(), x.places.data(), MPI_BYTE,
                   world.comm);
  x.expect(world, {1, 2});
}

MPI_CASE("blocks of more than 2^31 elements are scattered and exchanged", 2, 2) {
  const Exchange x(world);
  if (!CHECK(x)) return;
  const int to_me = 4 * world.rank;
  MPI_Scatter_c(x.each.block(0), kBytes, MPI_BYTE, x.room.block(0), kBytes, MPI_BYTE, 0, world.comm);
  x.expect(world, {1 | to_me});
  MPI_Scatterv_c(x.each.block(0), x.counts.data(), x.places.data(), MPI_BYTE, x.room.block(0), kBytes, MPI_BYTE, 1,
                 world.comm);
  x.expect(world, {2 | to_me});
  MPI_Alltoall_c(x.each.block(0), kBytes, MPI_BYTE, x.room.block(0), kBytes, MPI_BYTE, world.comm);
  x.expect(world, {1 | to_me, 2 | to_me});
  MPI_Alltoallv_c(x.each.block(0), x.counts.data(), x.places.data(), MPI_BYTE, x.room.block(0), x.counts.data(),
                  x.places.data(), MPI_BYTE, world.comm);
  x.expect(world, {1 | to_me, 2 | to_me});
}

MPI_CASE("vectors of more than 2^31 elements are reduced", 2, 2) {
  const Exchange x(world);
  if (!CHECK(x)) return;
  void* room = x.room.block(0);
  MPI_Reduce_c(x.mine.block(0), room, kBytes, MPI_BYTE, MPI_BOR, 1, world.comm);
  if (world.rank == 1) x.expect(world, {kBoth});
  MPI_Allreduce_c(x.mine.block(0), room, kBytes, MPI_BYTE, MPI_BOR, world.comm);
  x.expect(world, {kBoth});
  MPI_Reduce_scatter_block_c(x.each.block(0), room, kBytes, MPI_BYTE, MPI_BOR, world.comm);
  x.expect(world, {kBoth | 4 * world.rank});
  MPI_Reduce_scatter_c(x.each.block(0), room, x.counts.data(), MPI_BYTE, MPI_BOR, world.comm);
  x.expect(world, {kBoth | 4 * world.rank});
  MPI_Scan_c(x.mine.block(0), room, kBytes, MPI_BYTE, MPI_BOR, world.comm);
  x.expect(world, {world.rank == 0 ? 1 : kBoth});
  MPI_Exscan_c(x.mine.block(0), room, kBytes, MPI_BYTE, MPI_BOR, world.comm);
  if (world.rank == 1) x.expect(world, {1});
}

MPI_CASE("more than 2^31 elements are packed, and put into a window", 2, 2) {
  const Exchange x(world);
  if (!CHECK(x)) return;
  MPI_Count position = 0;
  MPI_Pack_c(x.mine.block(0), kBytes, MPI_BYTE, x.room.block(0), 2 * kBytes, &position, world.comm);
  CHECK_EQ(position, kBytes);
  x.expect(world, {Exchange::mark(world.rank)});

  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create_c(x.room.block(0), 2 * kBytes, 1, MPI_INFO_NULL, world.comm, &window);
  MPI_Win_fence(0, window);
  if (world.rank == 0) MPI_Put_c(x.mine.block(0), kBytes, MPI_BYTE, 1, kBytes, kBytes, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  if (world.rank == 1) CHECK_EQ(x.room.first_wrong(1, Exchange::mark(0)), kBytes);
  MPI_Win_free(&window);
}

}  // namespace
}  // namespace starling::tests
