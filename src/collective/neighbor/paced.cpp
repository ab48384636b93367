// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives that send to one neighbour after the other, in the order of the list, while all receives
// are open: no more than one long message of a rank is under way, and on a grid all ranks shift the same dimension at
// the same time. Limits: none. Cost: n * (alpha + b * beta) for n neighbours, each with its wait. Source: MPI-5.0, 8.6;
// Hoefler, Traeff, "Sparse Collective Operations for MPI", 2009.
#include "collective/list.hpp"
#include "collective/neighbor/exchange.hpp"

namespace starling::collective {

Task neighbor_paced(Call& call, const Arguments& a) {
  const comm::Neighbors& neighbors = *a.comm->neighbors;
  Lanes lanes(call, a);
  Batch batch(call);
  receive_all(batch, lanes, neighbors);
  for (std::size_t i = 0; i < neighbors.destinations.size(); ++i) {
    const std::int32_t to = neighbors.destinations[i];
    if (to != comm::Neighbors::kNobody) co_await lanes.send(static_cast<std::int32_t>(i), to);
  }
  co_await batch;
}

namespace {

double paced_cost(const Shape& shape, const Machine& machine) {
  return machine.exchanges(shape.neighbors, static_cast<double>(shape.bytes), shape.ranks);
}

}  // namespace

STARLING_NEIGHBOR_ALGORITHMS("paced", paced, &paced_cost, "n * (alpha + b * beta + wait)");

}  // namespace starling::collective
