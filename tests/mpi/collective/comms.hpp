// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The communicators on which every collective case runs, and values that all ranks can foretell.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/pattern.hpp"
#include "support/sanitized.hpp"

namespace starling::tests {

/// A communicator as a case sees it. Its failures are recorded in `world`.
struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

inline Comm view_of(MPI_Comm handle) {
  Comm comm{handle};
  MPI_Comm_rank(handle, &comm.rank);
  MPI_Comm_size(handle, &comm.size);
  return comm;
}

/// The world, its reverse, and its odd and even halves.
inline void on_each_comm(Context& world, const std::function<void(const Comm&)>& body) {
  body(view_of(world.comm));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world.comm, 0, -world.rank, &comm);
  body(view_of(comm));
  MPI_Comm_free(&comm);
  MPI_Comm_split(world.comm, world.rank % 2, world.rank, &comm);
  body(view_of(comm));
  MPI_Comm_free(&comm);
}

/// Element counts from nothing to beyond every eager limit.
inline const std::vector<int>& counts() {
  static const std::vector<int> list = {0, 1, 2, 3, 17, 256, 1000, 5000, kUnderThreadSanitizer ? 20000 : 40000};
  return list;
}

/// What a rank contributes at a place. Small, so that sums of all ranks fit.
inline int value_of(int rank, int place) {
  return static_cast<int>(mix(static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint64_t>(place)) % 10007);
}

/// A buffer that nothing has been put into yet.
inline std::vector<int> unset(int count) { return std::vector<int>(static_cast<std::size_t>(count), -1); }
inline void put(std::vector<int>& buffer, const std::vector<int>& values) {
  std::copy(values.begin(), values.end(), buffer.begin());
}

inline std::vector<int> values_of(int rank, int count, int first = 0) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = value_of(rank, first + i);
  return values;
}

/// The element-wise sum of what the ranks first..last-1 contribute.
inline std::vector<int> sum_of(int first, int last, int count) {
  std::vector<int> sum(static_cast<std::size_t>(count), 0);
  for (int rank = first; rank < last; ++rank) {
    for (int i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += value_of(rank, i);
  }
  return sum;
}

/// The blocks of all ranks one behind the other.
inline std::vector<int> all_values(int ranks, int count) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int> block = values_of(rank, count);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

}  // namespace starling::tests
