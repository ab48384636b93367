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
  // What follows is noted as it is started, or between neighbours.
  kIbarrier,
  kIreduce,
  kIallreduce,
  kIbcast,
  kIgather,
  kIgatherv,
  kIscatter,
  kIscatterv,
  kIallgather,
  kIallgatherv,
  kIalltoall,
  kIalltoallv,
  kIalltoallw,
  kIreduceScatter,
  kIreduceScatterBlock,
  kIscan,
  kIexscan,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kIneighborAllgather,
  kIneighborAllgatherv,
  kIneighborAlltoall,
  kIneighborAlltoallv,
  kIneighborAlltoallw,
};

/// As MPI calls it.
constexpr const char* name(Operation operation) {
  constexpr const char* kNames[] = {"Reduce",
                                    "Allreduce",
                                    "Bcast",
                                    "Gather",
                                    "Scatter",
                                    "Allgather",
                                    "Barrier",
                                    "Gatherv",
                                    "Scatterv",
                                    "Allgatherv",
                                    "Alltoall",
                                    "Alltoallv",
                                    "Alltoallw",
                                    "Reduce_scatter",
                                    "Reduce_scatter_block",
                                    "Scan",
                                    "Exscan",
                                    "Ibarrier",
                                    "Ireduce",
                                    "Iallreduce",
                                    "Ibcast",
                                    "Igather",
                                    "Igatherv",
                                    "Iscatter",
                                    "Iscatterv",
                                    "Iallgather",
                                    "Iallgatherv",
                                    "Ialltoall",
                                    "Ialltoallv",
                                    "Ialltoallw",
                                    "Ireduce_scatter",
                                    "Ireduce_scatter_block",
                                    "Iscan",
                                    "Iexscan",
                                    "Neighbor_allgather",
                                    "Neighbor_allgatherv",
                                    "Neighbor_alltoall",
                                    "Neighbor_alltoallv",
                                    "Neighbor_alltoallw",
                                    "Ineighbor_allgather",
                                    "Ineighbor_allgatherv",
                                    "Ineighbor_alltoall",
                                    "Ineighbor_alltoallv",
                                    "Ineighbor_alltoallw"};
  return kNames[static_cast<int>(operation)];
}

}  // namespace starling::pap
