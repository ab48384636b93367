// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls that move more than 2^31 elements (MPI-5.0, 2.5.8, the _c forms). Each rank takes a little over 2 GiB.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

constexpr MPI_Count kBytes = (MPI_Count{1} << 31) + 8 * 1001;
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

}  // namespace
}  // namespace starling::tests
