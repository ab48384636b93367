// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives with all messages under way at once.
// Limits: none. Cost: n * (1.2 * alpha + b * beta) for n neighbours, one wait. Source: MPI-5.0, 8.6; Hoefler, Traeff,
// "Sparse Collective Operations for MPI", 2009.
#include "collective/list.hpp"
#include "collective/neighbor/exchange.hpp"

namespace starling::collective {

Task neighbor_linear(Call& call, const Arguments& a) {
  const comm::Neighbors& neighbors = *a.comm->neighbors;
  Lanes lanes(call, a);
  Batch batch(call);
  receive_all(batch, lanes, neighbors);
  for (std::size_t i = 0; i < neighbors.destinations.size(); ++i) {
    const std::int32_t to = neighbors.destinations[i];
    if (to != comm::Neighbors::kNobody) batch.add(lanes.send(static_cast<std::int32_t>(i), to));
  }
  co_await batch;
}

namespace {

double linear_cost(const Shape& shape, const Machine& machine) {
  return shape.neighbors * machine.share(shape.ranks) *
             (1.2 * machine.message_ns + machine.transfer(static_cast<double>(shape.bytes))) +
         machine.wait(shape.ranks);
}

}  // namespace

STARLING_NEIGHBOR_ALGORITHMS("linear", linear, &linear_cost, "n * (1.2 * alpha + b * beta) + wait");

}  // namespace starling::collective
