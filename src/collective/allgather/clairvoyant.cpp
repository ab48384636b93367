// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv around late ranks: everybody's block goes straight to everybody, first to those who come
// first, so that all but the blocks to and from a late rank have gone when it comes. Limits: only where it is known
// when ranks come; linear in the ranks. Cost: p - 1 exchanges; when late, only those of the late rank, which nothing
// competes with. Source: Faraj, Patarasuk, Yuan, "A Study of Process Arrival Patterns for MPI Collective Operations",
// IJPP 2008.
#include "arrival/run/arrival_tree.hpp"
#include "collective/allgather/blocks.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/list.hpp"

namespace starling::collective {

Task allgather_clairvoyant(Call& call, const Arguments& a) {
  const Blocks blocks = gathered_blocks(a);
  Batch batch(call);
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == call.rank()) continue;
    void* place = element(a.receive_buffer, blocks.displacement(from), *a.receive_type);
    batch.add(call.receive(place, blocks.count(from), *a.receive_type, from));
  }
  for (const int to : arrival::order_of_arrival(a.prediction->arrivals, call.rank())) {
    if (to != call.rank()) batch.add(send_own_block(call, a, to));
  }
  place_own_block(call, a);
  co_await batch;
}

namespace {

double straight_cost(const Shape& shape, const Machine& machine, double block) {
  if (shape.late) return 2 * (shape.ranks - 1) * machine.message(block);
  return machine.exchanges(shape.ranks - 1, block, shape.ranks) +
         own_block_ns(shape, machine, block) * machine.share(shape.ranks);
}

}  // namespace

const Algorithm allgather_clairvoyant_algorithm = {
    Operation::kAllgather,
    "clairvoyant",
    kPredicted | kByArrival,
    Order::kRanks,
    &allgather_clairvoyant,
    [](const Shape& shape, const Machine& machine) {
      return straight_cost(shape, machine, static_cast<double>(shape.bytes));
    },
    "(p - 1) * (alpha + b * beta) + own; 2 * (p - 1) * (alpha + b * beta), of one rank, when late",
};
const Algorithm allgatherv_clairvoyant_algorithm = {
    Operation::kAllgatherv,
    "clairvoyant",
    kPredicted | kByArrival,
    Order::kRanks,
    &allgather_clairvoyant,
    [](const Shape& shape, const Machine& machine) {
      return straight_cost(shape, machine, static_cast<double>(shape.bytes) / shape.ranks);
    },
    "(p - 1) * (alpha + m / p * beta) + own; 2 * (p - 1) * (alpha + m / p * beta), of one rank, when late",
};

}  // namespace starling::collective
