// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The list of all collective algorithms, one line each: the operation, the name, the body it runs.
// To add one, write src/collective/<operation>/<name>.cpp and a line here.
// Thread safety: constants.
#pragma once

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"

// clang-format off
#define STARLING_ALGORITHMS(ROW)                                                          \
  ROW(barrier_shared,                           barrier_shared)                          \
  ROW(barrier_dissemination,                    barrier_dissemination)                   \
  ROW(barrier_levels,                           barrier_levels)                          \
  ROW(barrier_between_leaders,                  barrier_between_leaders)                 \
  ROW(barrier_across,                           barrier_across)                          \
  ROW(bcast_shared,                             bcast_shared)                            \
  ROW(bcast_binomial,                           bcast_binomial)                          \
  ROW(bcast_postal,                             bcast_postal)                            \
  ROW(bcast_linear,                             bcast_linear)                            \
  ROW(bcast_scatter_allgather,                  bcast_scatter_allgather)                 \
  ROW(bcast_scatter_doubling,                   bcast_scatter_doubling)                  \
  ROW(bcast_straight_allgather,                 bcast_straight_allgather)                \
  ROW(bcast_straight_doubling,                  bcast_straight_doubling)                 \
  ROW(bcast_straight_shared,                    bcast_straight_shared)                   \
  ROW(bcast_chain,                              bcast_chain)                             \
  ROW(bcast_levels,                             bcast_levels)                            \
  ROW(bcast_clairvoyant,                        bcast_clairvoyant)                       \
  ROW(bcast_between_leaders,                    bcast_between_leaders)                   \
  ROW(bcast_across,                             bcast_across)                            \
  ROW(reduce_shared,                            reduce_shared)                           \
  ROW(reduce_shared_slices,                     allreduce_shared_slices)                 \
  ROW(reduce_arrival_order,                      reduce_arrival_order)                     \
  ROW(reduce_clairvoyant,                       reduce_clairvoyant)                      \
  ROW(reduce_binomial,                          reduce_binomial)                         \
  ROW(reduce_postal,                            reduce_postal)                           \
  ROW(reduce_chain,                             reduce_chain)                            \
  ROW(reduce_rabenseifner,                      reduce_rabenseifner)                     \
  ROW(reduce_pairwise_gather,                   reduce_pairwise_gather)                  \
  ROW(reduce_pairwise_tree,                     reduce_pairwise_tree)                    \
  ROW(reduce_halving_gather,                    reduce_halving_gather)                   \
  ROW(reduce_shared_gather,                     reduce_shared_gather)                    \
  ROW(reduce_shared_tree,                       reduce_shared_tree)                      \
  ROW(reduce_shared_collect,                    reduce_shared_collect)                   \
  ROW(reduce_linear,                            reduce_linear)                           \
  ROW(reduce_levels,                            reduce_levels)                           \
  ROW(reduce_between_leaders,                   reduce_between_leaders)                  \
  ROW(reduce_between_ordered,                   reduce_between_ordered)                  \
  ROW(allreduce_shared,                         allreduce_shared)                        \
  ROW(allreduce_shared_slices,                  allreduce_shared_slices)                 \
  ROW(allreduce_arrival_order,                   allreduce_arrival_order)                  \
  ROW(allreduce_shared_ring,                    allreduce_shared_ring)                   \
  ROW(allreduce_shared_doubling,                allreduce_shared_doubling)               \
  ROW(allreduce_shared_allgather,               allreduce_shared_allgather)              \
  ROW(allreduce_clairvoyant,                    allreduce_clairvoyant)                   \
  ROW(allreduce_recursive_doubling,             allreduce_recursive_doubling)            \
  ROW(allreduce_recursive_multiplying,          allreduce_recursive_multiplying)         \
  ROW(allreduce_rabenseifner,                   allreduce_rabenseifner)                  \
  ROW(allreduce_ring,                           allreduce_ring)                          \
  ROW(allreduce_reduce_bcast,                   allreduce_reduce_bcast)                  \
  ROW(allreduce_shared_binomial,                allreduce_shared_binomial)               \
  ROW(allreduce_shared_bcast,                   allreduce_shared_bcast)                  \
  ROW(allreduce_ordered,                        allreduce_ordered)                       \
  ROW(allreduce_ordered_doubling,               allreduce_ordered_doubling)              \
  ROW(allreduce_levels,                         allreduce_levels)                        \
  ROW(allreduce_lanes,                          allreduce_lanes)                         \
  ROW(allreduce_pipelined_lanes,                allreduce_pipelined_lanes)               \
  ROW(allreduce_between_leaders,                allreduce_between_leaders)               \
  ROW(allreduce_between_ordered,                allreduce_between_ordered)               \
  ROW(gather_shared,                            gather_shared)                           \
  ROW(gather_binomial,                          gather_binomial)                         \
  ROW(gather_linear,                            gather_linear)                           \
  ROW(gather_levels,                            gather_levels)                           \
  ROW(gather_clairvoyant,                       gather_linear)                           \
  ROW(gather_between_leaders,                   gather_between_leaders)                  \
  ROW(gatherv_shared,                           gatherv_shared)                          \
  ROW(gatherv_linear,                           gather_linear)                           \
  ROW(scatter_shared,                           scatter_shared)                          \
  ROW(scatter_binomial,                         scatter_binomial)                        \
  ROW(scatter_linear,                           scatter_linear)                          \
  ROW(scatter_levels,                           scatter_levels)                          \
  ROW(scatter_clairvoyant,                      scatter_clairvoyant)                     \
  ROW(scatter_between_leaders,                  scatter_between_leaders)                 \
  ROW(scatterv_shared,                          scatterv_shared)                         \
  ROW(scatterv_linear,                          scatter_linear)                          \
  ROW(allgather_shared,                         allgather_shared)                        \
  ROW(allgather_bruck,                          allgather_bruck)                         \
  ROW(allgather_linear,                         allgather_linear)                        \
  ROW(allgather_recursive_doubling,             allgather_recursive_doubling)            \
  ROW(allgather_ring,                           allgather_ring)                          \
  ROW(allgather_gather_bcast,                   allgather_gather_bcast)                  \
  ROW(allgather_levels,                         allgather_levels)                        \
  ROW(allgather_gather_shared,                  allgather_gather_shared)                 \
  ROW(allgather_clairvoyant,                    allgather_clairvoyant)                   \
  ROW(allgather_between_leaders,                allgather_between_leaders)               \
  ROW(allgather_across_linear,                  exchange_linear)                         \
  ROW(allgather_across_paced,                   exchange_paced)                          \
  ROW(allgatherv_shared,                        allgatherv_shared)                       \
  ROW(allgatherv_bruck,                         allgather_bruck)                         \
  ROW(allgatherv_linear,                        allgather_linear)                        \
  ROW(allgatherv_ring,                          allgather_ring)                          \
  ROW(allgatherv_levels,                        allgatherv_levels)                       \
  ROW(allgatherv_clairvoyant,                   allgather_clairvoyant)                   \
  ROW(allgatherv_across_linear,                 exchange_linear)                         \
  ROW(allgatherv_across_paced,                  exchange_paced)                          \
  ROW(alltoall_shared,                          alltoall_shared)                         \
  ROW(alltoall_bruck,                           alltoall_bruck)                          \
  ROW(alltoall_pairwise,                        alltoall_pairwise)                       \
  ROW(alltoall_linear,                          alltoall_linear)                         \
  ROW(alltoall_levels,                          alltoall_levels)                         \
  ROW(alltoall_across_linear,                   exchange_linear)                         \
  ROW(alltoall_across_paced,                    exchange_paced)                          \
  ROW(alltoallv_shared,                         alltoallv_shared)                        \
  ROW(alltoallv_pairwise,                       alltoall_pairwise)                       \
  ROW(alltoallv_linear,                         alltoall_linear)                         \
  ROW(alltoallv_across_linear,                  exchange_linear)                         \
  ROW(alltoallv_across_paced,                   exchange_paced)                          \
  ROW(alltoallw_shared,                         alltoallv_shared)                        \
  ROW(alltoallw_pairwise,                       alltoall_pairwise)                       \
  ROW(alltoallw_linear,                         alltoall_linear)                         \
  ROW(alltoallw_across_linear,                  exchange_linear)                         \
  ROW(alltoallw_across_paced,                   exchange_paced)                          \
  ROW(scan_shared,                              scan_shared)                             \
  ROW(scan_recursive_doubling,                  scan_recursive_doubling)                 \
  ROW(scan_linear,                              scan_linear)                             \
  ROW(scan_levels,                              scan_levels)                             \
  ROW(exscan_shared,                            scan_shared)                             \
  ROW(exscan_recursive_doubling,                exscan_recursive_doubling)               \
  ROW(exscan_linear,                            exscan_linear)                           \
  ROW(exscan_levels,                            exscan_levels)                           \
  ROW(reduce_scatter_shared,                    reduce_scatter_shared)                   \
  ROW(reduce_scatter_halving,                   reduce_scatter_halving)                  \
  ROW(reduce_scatter_linear,                    reduce_scatter_linear)                   \
  ROW(reduce_scatter_pairwise,                  reduce_scatter_pairwise)                 \
  ROW(reduce_scatter_reduce_scatterv,           reduce_scatter_reduce_scatterv)          \
  ROW(reduce_scatter_shared_scatterv,           reduce_scatter_shared_scatterv)          \
  ROW(reduce_scatter_clairvoyant,               reduce_scatter_clairvoyant)              \
  ROW(reduce_scatter_ordered,                   reduce_scatter_ordered)                  \
  ROW(reduce_scatter_levels,                    reduce_scatter_levels)                   \
  ROW(reduce_scatter_lanes,                     reduce_scatter_lanes)                    \
  ROW(reduce_scatter_pipelined_lanes,           reduce_scatter_pipelined_lanes)          \
  ROW(reduce_scatter_between_leaders,           reduce_scatter_between_leaders)          \
  ROW(reduce_scatter_between_ordered,           reduce_scatter_between_ordered)          \
  ROW(reduce_scatter_block_shared,              reduce_scatter_shared)                   \
  ROW(reduce_scatter_block_halving,             reduce_scatter_halving)                  \
  ROW(reduce_scatter_block_linear,              reduce_scatter_linear)                   \
  ROW(reduce_scatter_block_pairwise,            reduce_scatter_pairwise)                 \
  ROW(reduce_scatter_block_reduce_scatterv,     reduce_scatter_reduce_scatterv)          \
  ROW(reduce_scatter_block_shared_scatterv,     reduce_scatter_shared_scatterv)          \
  ROW(reduce_scatter_block_clairvoyant,         reduce_scatter_clairvoyant)              \
  ROW(reduce_scatter_block_ordered,             reduce_scatter_ordered)                  \
  ROW(reduce_scatter_block_levels,              reduce_scatter_levels)                   \
  ROW(reduce_scatter_block_lanes,               reduce_scatter_lanes)                    \
  ROW(reduce_scatter_block_pipelined_lanes,     reduce_scatter_pipelined_lanes)          \
  ROW(reduce_scatter_block_between_leaders,     reduce_scatter_between_leaders)          \
  ROW(reduce_scatter_block_between_ordered,     reduce_scatter_between_ordered)          \
  ROW(neighbor_allgather_linear,                exchange_linear)                         \
  ROW(neighbor_allgather_paced,                 exchange_paced)                          \
  ROW(neighbor_allgatherv_linear,               exchange_linear)                         \
  ROW(neighbor_allgatherv_paced,                exchange_paced)                          \
  ROW(neighbor_alltoall_linear,                 exchange_linear)                         \
  ROW(neighbor_alltoall_paced,                  exchange_paced)                          \
  ROW(neighbor_alltoallv_linear,                exchange_linear)                         \
  ROW(neighbor_alltoallv_paced,                 exchange_paced)                          \
  ROW(neighbor_alltoallw_linear,                exchange_linear)                         \
  ROW(neighbor_alltoallw_paced,                 exchange_paced)
// clang-format on

namespace starling::collective {

#define STARLING_DECLARE_ALGORITHM(id, body)         \
  Task body(Call& call, const Arguments& arguments); \
  extern const Algorithm id##_algorithm;
STARLING_ALGORITHMS(STARLING_DECLARE_ALGORITHM)
#undef STARLING_DECLARE_ALGORITHM

}  // namespace starling::collective
