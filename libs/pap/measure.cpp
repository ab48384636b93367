// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "mpi/communicator.hpp"

namespace starling::pap {
namespace {

constexpr int kTag = 0;
constexpr int kMostInARow = 8;
constexpr std::int64_t kMostBytesInARow = 1 << 20;  // where cores are shared, bytes are what measuring costs
constexpr int kRepeats = 2;                         // the first makes connections

int in_a_row(std::int64_t bytes) {
  return static_cast<int>(std::min(std::int64_t{kMostInARow}, kMostBytesInARow / bytes));
}

struct Buffers {
  std::vector<char> out = std::vector<char>(static_cast<std::size_t>(arrival::kSampledBytes.back()));
  std::vector<char> in = std::vector<char>(static_cast<std::size_t>(kMostBytesInARow));
};

/// The seconds that each of `row` messages takes which every rank sends to the next and receives from the one before.
int message_s(MPI_Comm comm, Buffers& buffers, std::int64_t bytes, int row, double* seconds) {
  const int rank = any_mpi::rank_of(comm);
  const int size = any_mpi::size_of(comm);
  *seconds = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    if (const int code = PMPI_Barrier(comm); code != MPI_SUCCESS) return code;
    MPI_Request requests[2 * kMostInARow];
    const double start = PMPI_Wtime();
    for (int i = 0; i < row; ++i) {
      PMPI_Irecv(buffers.in.data() + i * bytes, static_cast<int>(bytes), MPI_BYTE, (rank + size - 1) % size, kTag, comm,
                 &requests[2 * i]);
      PMPI_Isend(buffers.out.data(), static_cast<int>(bytes), MPI_BYTE, (rank + 1) % size, kTag, comm,
                 &requests[2 * i + 1]);
    }
    if (const int code = PMPI_Waitall(2 * row, requests, MPI_STATUSES_IGNORE); code != MPI_SUCCESS) return code;
    *seconds = std::min(*seconds, (PMPI_Wtime() - start) / row);
  }
  return MPI_SUCCESS;
}

}  // namespace

int measure_link(MPI_Comm comm, arrival::Link* link) {
  Buffers buffers;
  double mine[2 * arrival::kSampledBytes.size()];
  for (std::size_t i = 0; i < link->size(); ++i) {
    for (const int alone : {1, 0}) {
      double& seconds = mine[2 * i + (alone == 1 ? 0 : 1)];
      const std::int64_t bytes = arrival::kSampledBytes[i];
      const int code = message_s(comm, buffers, bytes, alone == 1 ? 1 : in_a_row(bytes), &seconds);
      if (code != MPI_SUCCESS) return code;
    }
  }
  double slowest[std::size(mine)];
  const int code = PMPI_Allreduce(mine, slowest, static_cast<int>(std::size(mine)), MPI_DOUBLE, MPI_MAX, comm);
  for (std::size_t i = 0; i < link->size(); ++i) {
    (*link)[i] = {arrival::kSampledBytes[i], slowest[2 * i], std::min(slowest[2 * i], slowest[2 * i + 1])};
  }
  return code;
}

}  // namespace starling::pap
