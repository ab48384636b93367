// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Types and displacements that reach beyond 2^31 bytes, in memory that is real only where it is touched.
#include <sys/mman.h>

#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

constexpr MPI_Count kStride = MPI_Count{3} << 30;
constexpr int kBlocks = 3;

/// Room for kBlocks blocks at strides of 3 GiB.
class WideRoom {
 public:
  WideRoom()
      : data_(mmap(nullptr, kLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~WideRoom() { munmap(data_, kLength); }
  WideRoom(const WideRoom&) = delete;
  WideRoom& operator=(const WideRoom&) = delete;

  [[nodiscard]] explicit operator bool() const { return data_ != MAP_FAILED; }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] int& at(int block) const {
    return *reinterpret_cast<int*>(static_cast<char*>(data_) + block * kStride);
  }

 private:
  static constexpr std::size_t kLength = kBlocks * kStride + 4096;
  void* data_;
};

/// An int every 3 GiB.
class WideType {
 public:
  WideType() {
    MPI_Type_create_hvector_c(kBlocks, 1, kStride, MPI_INT, &type_);
    MPI_Type_commit(&type_);
  }
  ~WideType() { MPI_Type_free(&type_); }
  WideType(const WideType&) = delete;
  WideType& operator=(const WideType&) = delete;
  operator MPI_Datatype() const { return type_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

MPI_CASE("a type may extend over more than 2^32 bytes", 1, 8) {
  const WideType type;
  MPI_Count lb = -1, extent = -1, size = -1;
  MPI_Type_get_extent_c(type, &lb, &extent);
  MPI_Type_size_c(type, &size);
  CHECK_EQ(lb, 0);
  CHECK_EQ(extent, (kBlocks - 1) * kStride + 4);
  CHECK_EQ(size, 4 * kBlocks);
}

MPI_CASE("messages and packing reach beyond 2^31 bytes", 1, 8) {
  const WideType type;
  const WideRoom room;
  if (!CHECK(room)) return;
  const int next = (world.rank + 1) % world.size;
  const int before = (world.rank + world.size - 1) % world.size;
  for (int block = 0; block < kBlocks; ++block) room.at(block) = 100 * world.rank + block;
  std::vector<int> packed(kBlocks, -1);
  MPI_Sendrecv(room.data(), 1, type, next, 1, packed.data(), kBlocks, MPI_INT, before, 1, world.comm,
               MPI_STATUS_IGNORE);
  for (int block = 0; block < kBlocks; ++block) CHECK_EQ(packed[static_cast<std::size_t>(block)], 100 * before + block);

  MPI_Sendrecv(packed.data(), kBlocks, MPI_INT, before, 2, room.data(), 1, type, next, 2, world.comm,
               MPI_STATUS_IGNORE);
  for (int block = 0; block < kBlocks; ++block) CHECK_EQ(room.at(block), 100 * world.rank + block);

  MPI_Count position = 0;
  std::vector<int> out(kBlocks);
  MPI_Pack_c(room.data(), 1, type, out.data(), 4 * kBlocks, &position, world.comm);
  CHECK_EQ(position, 4 * kBlocks);
  CHECK_EQ(out[2], 100 * world.rank + 2);
}

MPI_CASE("collectives place blocks beyond 2^31 bytes", 1, kBlocks) {
  const WideRoom room;
  if (!CHECK(room)) return;
  std::vector<MPI_Count> counts(static_cast<std::size_t>(world.size), 1);
  std::vector<MPI_Aint> displs;
  for (int rank = 0; rank < world.size; ++rank) displs.push_back(rank * (kStride / 4));
  const int mine = 7 + world.rank;
  MPI_Allgatherv_c(&mine, 1, MPI_INT, room.data(), counts.data(), displs.data(), MPI_INT, world.comm);
  for (int rank = 0; rank < world.size; ++rank) CHECK_EQ(room.at(rank), 7 + rank);

  int back = -1;
  MPI_Scatterv_c(room.data(), counts.data(), displs.data(), MPI_INT, &back, 1, MPI_INT, 0, world.comm);
  CHECK_EQ(back, 7 + world.rank);

  const WideType type;
  if (world.rank != 0) {
    for (int block = 0; block < kBlocks; ++block) room.at(block) = -1;
  }
  for (int block = 0; world.rank == 0 && block < kBlocks; ++block) room.at(block) = 50 + block;
  MPI_Bcast(room.data(), 1, type, 0, world.comm);
  for (int block = 0; block < kBlocks; ++block) CHECK_EQ(room.at(block), 50 + block);
}

}  // namespace
}  // namespace starling::tests
