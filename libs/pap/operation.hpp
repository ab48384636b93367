// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collectives that the library takes: those that may go around late ranks, then those that it only notes.
//
// Thread safety: constants.
#pragma once

#include <cstdint>

// clang-format off
/// Those that may go around late ranks, then blocking ones that are only noted, then those that are noted as they are
/// started, and those between neighbours. The second column is the name that MPI has for them.
#define STARLING_PAP_OPERATIONS(ROW) \
  ROW(kReduce,                 Reduce) \
  ROW(kAllreduce,              Allreduce) \
  ROW(kBcast,                  Bcast) \
  ROW(kGather,                 Gather) \
  ROW(kScatter,                Scatter) \
  ROW(kAllgather,              Allgather) \
  ROW(kBarrier,                Barrier) \
  ROW(kGatherv,                Gatherv) \
  ROW(kScatterv,               Scatterv) \
  ROW(kAllgatherv,             Allgatherv) \
  ROW(kAlltoall,               Alltoall) \
  ROW(kAlltoallv,              Alltoallv) \
  ROW(kAlltoallw,              Alltoallw) \
  ROW(kReduceScatter,          Reduce_scatter) \
  ROW(kReduceScatterBlock,     Reduce_scatter_block) \
  ROW(kScan,                   Scan) \
  ROW(kExscan,                 Exscan) \
  ROW(kIbarrier,               Ibarrier) \
  ROW(kIreduce,                Ireduce) \
  ROW(kIallreduce,             Iallreduce) \
  ROW(kIbcast,                 Ibcast) \
  ROW(kIgather,                Igather) \
  ROW(kIgatherv,               Igatherv) \
  ROW(kIscatter,               Iscatter) \
  ROW(kIscatterv,              Iscatterv) \
  ROW(kIallgather,             Iallgather) \
  ROW(kIallgatherv,            Iallgatherv) \
  ROW(kIalltoall,              Ialltoall) \
  ROW(kIalltoallv,             Ialltoallv) \
  ROW(kIalltoallw,             Ialltoallw) \
  ROW(kIreduceScatter,         Ireduce_scatter) \
  ROW(kIreduceScatterBlock,    Ireduce_scatter_block) \
  ROW(kIscan,                  Iscan) \
  ROW(kIexscan,                Iexscan) \
  ROW(kNeighborAllgather,      Neighbor_allgather) \
  ROW(kNeighborAllgatherv,     Neighbor_allgatherv) \
  ROW(kNeighborAlltoall,       Neighbor_alltoall) \
  ROW(kNeighborAlltoallv,      Neighbor_alltoallv) \
  ROW(kNeighborAlltoallw,      Neighbor_alltoallw) \
  ROW(kIneighborAllgather,     Ineighbor_allgather) \
  ROW(kIneighborAllgatherv,    Ineighbor_allgatherv) \
  ROW(kIneighborAlltoall,      Ineighbor_alltoall) \
  ROW(kIneighborAlltoallv,     Ineighbor_alltoallv) \
  ROW(kIneighborAlltoallw,     Ineighbor_alltoallw)
// clang-format on

namespace starling::pap {

enum class Operation : std::uint8_t {
#define STARLING_PAP_OPERATION(id, name) id,
  STARLING_PAP_OPERATIONS(STARLING_PAP_OPERATION)
#undef STARLING_PAP_OPERATION
};

/// As MPI calls it.
constexpr const char* name(Operation operation) {
  constexpr const char* kNames[] = {
#define STARLING_PAP_OPERATION(id, name) #name,
      STARLING_PAP_OPERATIONS(STARLING_PAP_OPERATION)
#undef STARLING_PAP_OPERATION
  };
  return kNames[static_cast<int>(operation)];
}

}  // namespace starling::pap
