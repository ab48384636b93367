// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/gather.hpp"

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// None of rank 0, and longer ones of those behind it.
std::string text_of(int rank) {
  return std::string(static_cast<std::size_t>(rank) * 20000, static_cast<char>('a' + rank));
}

bool are_all_texts(const std::vector<std::string>& all, int size) {
  bool good = all.size() == static_cast<std::size_t>(size);
  for (int rank = 0; good && rank < size; ++rank) good = all[static_cast<std::size_t>(rank)] == text_of(rank);
  return good;
}

MPI_CASE("parts begin where those before them end", 1, 1) {
  CHECK(any_mpi::starts_of({}) == std::vector<int>{0});
  CHECK((any_mpi::starts_of({3, 0, 2}) == std::vector<int>{0, 3, 3, 5}));
}

MPI_CASE("texts come to any root, and nowhere else", 1, 8) {
  for (int root = 0; root < world.size; ++root) {
    std::vector<std::string> all{"before"};
    CHECK_EQ(any_mpi::gather_texts<any_mpi::PmpiCalls>(world.comm, root, text_of(world.rank), all), MPI_SUCCESS);
    CHECK(world.rank == root ? are_all_texts(all, world.size) : all.empty());
  }
}

}  // namespace
}  // namespace starling::tests
