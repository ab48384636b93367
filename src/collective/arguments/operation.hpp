// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collective operations, in one list: enumerator, name, name in configuration variables.
// Thread safety: constants. Source: MPI-5.0, chapters 6 and 8.6.
#pragma once

#include <cstdint>
#include <iterator>

// clang-format off
#define STARLING_OPERATIONS(ROW)                                              \
  ROW(kBarrier,            barrier,              BARRIER)                     \
  ROW(kBcast,              bcast,                BCAST)                       \
  ROW(kReduce,             reduce,               REDUCE)                      \
  ROW(kAllreduce,          allreduce,            ALLREDUCE)                   \
  ROW(kGather,             gather,               GATHER)                      \
  ROW(kGatherv,            gatherv,              GATHERV)                     \
  ROW(kScatter,            scatter,              SCATTER)                     \
  ROW(kScatterv,           scatterv,             SCATTERV)                    \
  ROW(kAllgather,          allgather,            ALLGATHER)                   \
  ROW(kAllgatherv,         allgatherv,           ALLGATHERV)                  \
  ROW(kAlltoall,           alltoall,             ALLTOALL)                    \
  ROW(kAlltoallv,          alltoallv,            ALLTOALLV)                   \
  ROW(kAlltoallw,          alltoallw,            ALLTOALLW)                   \
  ROW(kScan,               scan,                 SCAN)                        \
  ROW(kExscan,             exscan,               EXSCAN)                      \
  ROW(kReduceScatter,      reduce_scatter,       REDUCE_SCATTER)              \
  ROW(kReduceScatterBlock, reduce_scatter_block, REDUCE_SCATTER_BLOCK)        \
  ROW(kNeighborAllgather,  neighbor_allgather,   NEIGHBOR_ALLGATHER)          \
  ROW(kNeighborAllgatherv, neighbor_allgatherv,  NEIGHBOR_ALLGATHERV)         \
  ROW(kNeighborAlltoall,   neighbor_alltoall,    NEIGHBOR_ALLTOALL)           \
  ROW(kNeighborAlltoallv,  neighbor_alltoallv,   NEIGHBOR_ALLTOALLV)          \
  ROW(kNeighborAlltoallw,  neighbor_alltoallw,   NEIGHBOR_ALLTOALLW)
// clang-format on

namespace starling::collective {

enum class Operation : std::uint8_t {
#define STARLING_OPERATION(id, name, upper) id,
  STARLING_OPERATIONS(STARLING_OPERATION)
#undef STARLING_OPERATION
};

#define STARLING_OPERATION(id, name, upper) Operation::id,
inline constexpr Operation kOperations[] = {STARLING_OPERATIONS(STARLING_OPERATION)};
#undef STARLING_OPERATION
inline constexpr std::int32_t kOperationCount = std::size(kOperations);

/// "barrier", "bcast", ... as in STARLING_COLL_<OP>, in lower case.
[[nodiscard]] const char* name(Operation operation) noexcept;

/// Whether ranks speak only with their neighbours in the topology of the communicator.
[[nodiscard]] constexpr bool among_neighbors(Operation operation) noexcept {
  return operation >= Operation::kNeighborAllgather;
}

/// Whether one rank is the root.
[[nodiscard]] constexpr bool rooted(Operation operation) noexcept {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kGather:
    case Operation::kGatherv:
    case Operation::kScatter:
    case Operation::kScatterv: return true;
    default: return false;
  }
}

/// Whether an operator is applied.
[[nodiscard]] constexpr bool reduces(Operation operation) noexcept {
  switch (operation) {
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterBlock: return true;
    default: return false;
  }
}

}  // namespace starling::collective
