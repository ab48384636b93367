// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collectives that the library takes: those that may go around late ranks, then those that it only notes.
//
// Thread safety: constants.
#pragma once

#include <cstdint>

namespace starling::pap {

enum class Operation : std::uint8_t {
  kReduce,
  kAllreduce,
  kBcast,
  kGather,
  kScatter,
  kAllgather,
  kBarrier,
  kGatherv,
  kScatterv,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
};

/// As MPI calls it.
constexpr const char* name(Operation operation) {
  constexpr const char* kNames[] = {"Reduce",    "Allreduce", "Bcast",     "Gather",         "Scatter",
                                    "Allgather", "Barrier",   "Gatherv",   "Scatterv",       "Allgatherv",
                                    "Alltoall",  "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block",
                                    "Scan",      "Exscan"};
  return kNames[static_cast<int>(operation)];
}

}  // namespace starling::pap
