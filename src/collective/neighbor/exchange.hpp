// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the neighbourhood algorithms have in common: the messages that come in, posted in the order in which those of
// one source match, and those that go out. Thread safety: none; belongs to one coroutine. Source: MPI-5.0, 8.6.
#pragma once

#include "collective/alltoall/lanes.hpp"
#include "comm/neighbors.hpp"

namespace starling::collective {

/// Starts to receive from every source.
inline void receive_all(Batch& batch, Lanes& lanes, const comm::Neighbors& neighbors) {
  for (std::size_t i = 0; i < neighbors.sources.size(); ++i) {
    const std::size_t block = neighbors.receive_order(i);
    const std::int32_t source = neighbors.sources[block];
    if (source != comm::Neighbors::kNobody) batch.add(lanes.receive(static_cast<std::int32_t>(block), source));
  }
}

/// A table of the descriptors of one text: the same for all neighbourhood operations.
#define STARLING_NEIGHBOR_ALGORITHMS(name, text, cost, cost_text)                                       \
  const Algorithm neighbor_allgather_##text##_algorithm = {                                             \
      Operation::kNeighborAllgather, name, kNothing, Order::kRanks, &neighbor_##text, cost, cost_text,  \
  };                                                                                                    \
  const Algorithm neighbor_allgatherv_##text##_algorithm = {                                            \
      Operation::kNeighborAllgatherv, name, kNothing, Order::kRanks, &neighbor_##text, cost, cost_text, \
  };                                                                                                    \
  const Algorithm neighbor_alltoall_##text##_algorithm = {                                              \
      Operation::kNeighborAlltoall, name, kNothing, Order::kRanks, &neighbor_##text, cost, cost_text,   \
  };                                                                                                    \
  const Algorithm neighbor_alltoallv_##text##_algorithm = {                                             \
      Operation::kNeighborAlltoallv, name, kNothing, Order::kRanks, &neighbor_##text, cost, cost_text,  \
  };                                                                                                    \
  const Algorithm neighbor_alltoallw_##text##_algorithm = {                                             \
      Operation::kNeighborAlltoallw, name, kNothing, Order::kRanks, &neighbor_##text, cost, cost_text,  \
  }

}  // namespace starling::collective
