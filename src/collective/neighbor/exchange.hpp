// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the neighbourhood algorithms, and those between two groups where everybody speaks to everybody, have in common:
// the messages that come in, posted in the order in which those of one source match, and those that go out. Thread
// safety: none; belongs to one coroutine. Source: MPI-5.0, 8.6.
#pragma once

#include "collective/parts/lanes.hpp"
#include "comm/neighbors.hpp"

namespace starling::collective {

/// The ranks that a rank exchanges data with: its neighbours in a topology, or on an intercommunicator all ranks of the
/// other group, where each rank begins with another one.
class Partners {
 public:
  explicit Partners(const Arguments& a) noexcept
      : neighbors_(a.comm->is_inter() ? nullptr : a.comm->neighbors.get()),
        others_(a.comm->addressed_size()),
        first_(a.comm->rank()) {}

  /// A block of the buffer and whose it is.
  struct Partner {
    std::int32_t block;
    std::int32_t rank;
    [[nodiscard]] bool somebody() const noexcept { return rank != comm::Neighbors::kNobody; }
  };
  [[nodiscard]] std::int32_t sources() const noexcept { return neighbors_ ? length(neighbors_->sources) : others_; }
  [[nodiscard]] std::int32_t destinations() const noexcept {
    return neighbors_ ? length(neighbors_->destinations) : others_;
  }
  [[nodiscard]] Partner source(std::int32_t i) const noexcept {
    if (!neighbors_) return other(i);
    const std::size_t block = neighbors_->receive_order(static_cast<std::size_t>(i));
    return {static_cast<std::int32_t>(block), neighbors_->sources[block]};
  }
  [[nodiscard]] Partner destination(std::int32_t i) const noexcept {
    return neighbors_ ? Partner{i, neighbors_->destinations[static_cast<std::size_t>(i)]} : other(i);
  }

 private:
  static std::int32_t length(const std::vector<std::int32_t>& list) noexcept {
    return static_cast<std::int32_t>(list.size());
  }
  [[nodiscard]] Partner other(std::int32_t i) const noexcept {
    const std::int32_t rank = (first_ + i) % others_;
    return {rank, rank};
  }

  const comm::Neighbors* neighbors_;
  std::int32_t others_;
  std::int32_t first_;
};

/// Starts to receive from every source.
inline void receive_all(Batch& batch, Lanes& lanes, const Partners& partners) {
  for (std::int32_t i = 0; i < partners.sources(); ++i) {
    const Partners::Partner from = partners.source(i);
    if (from.somebody()) lanes.receive(batch, from.block, from.rank);
  }
}

/// The descriptors of an algorithm's body: for every neighbourhood operation, and for those between two groups that are
/// the same.
#define STARLING_EXCHANGE_ALGORITHMS(name, inter_name, body, cost, words)                            \
  const Algorithm neighbor_allgather_##body##_algorithm = {                                          \
      Operation::kNeighborAllgather, name, kNothing, Order::kRanks, &exchange_##body, &cost, words,  \
  };                                                                                                 \
  const Algorithm neighbor_allgatherv_##body##_algorithm = {                                         \
      Operation::kNeighborAllgatherv, name, kNothing, Order::kRanks, &exchange_##body, &cost, words, \
  };                                                                                                 \
  const Algorithm neighbor_alltoall_##body##_algorithm = {                                           \
      Operation::kNeighborAlltoall, name, kNothing, Order::kRanks, &exchange_##body, &cost, words,   \
  };                                                                                                 \
  const Algorithm neighbor_alltoallv_##body##_algorithm = {                                          \
      Operation::kNeighborAlltoallv, name, kNothing, Order::kRanks, &exchange_##body, &cost, words,  \
  };                                                                                                 \
  const Algorithm neighbor_alltoallw_##body##_algorithm = {                                          \
      Operation::kNeighborAlltoallw, name, kNothing, Order::kRanks, &exchange_##body, &cost, words,  \
  };                                                                                                 \
  const Algorithm allgather_across_##body##_algorithm = {                                            \
      Operation::kAllgather, inter_name, kInter, Order::kRanks, &exchange_##body, &cost, words,      \
  };                                                                                                 \
  const Algorithm allgatherv_across_##body##_algorithm = {                                           \
      Operation::kAllgatherv, inter_name, kInter, Order::kRanks, &exchange_##body, &cost, words,     \
  };                                                                                                 \
  const Algorithm alltoall_across_##body##_algorithm = {                                             \
      Operation::kAlltoall, inter_name, kInter, Order::kRanks, &exchange_##body, &cost, words,       \
  };                                                                                                 \
  const Algorithm alltoallv_across_##body##_algorithm = {                                            \
      Operation::kAlltoallv, inter_name, kInter, Order::kRanks, &exchange_##body, &cost, words,      \
  };                                                                                                 \
  const Algorithm alltoallw_across_##body##_algorithm = {                                            \
      Operation::kAlltoallw, inter_name, kInter, Order::kRanks, &exchange_##body, &cost, words,      \
  }

}  // namespace starling::collective
