// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How late a rank must be here and now for going around it to be worth while: what is little beside a reduce is not.
// So a test asks the same of the library on a busy machine, and where waiting ranks spin on cores that others need.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace starling::pap::test {

/// Seconds that a reduce of `count` ints takes where nobody is late, on the slowest rank. Collective; a preloaded
/// library does not see it.
inline double plain_reduce_s(int count) {
  constexpr int kCalls = 4;
  const std::vector<int> mine(static_cast<std::size_t>(count), 1);
  std::vector<int> result(mine.size());
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  double taken_s = 0;
  for (int call = 0; call < kCalls; ++call) {
    PMPI_Barrier(comm);
    const double start_s = PMPI_Wtime();
    PMPI_Reduce(mine.data(), result.data(), count, MPI_INT, MPI_SUM, 0, comm);
    PMPI_Barrier(comm);
    taken_s += PMPI_Wtime() - start_s;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &taken_s, 1, MPI_DOUBLE, MPI_MAX, comm);
  PMPI_Comm_free(&comm);
  return taken_s / kCalls;
}

/// The same on all ranks. Collective.
inline double lateness_s(int count) {
  constexpr double kLeast_s = 8e-3;
  constexpr double kMost_s = 1;
  return std::clamp(2 * plain_reduce_s(count), kLeast_s, kMost_s);
}

}  // namespace starling::pap::test
