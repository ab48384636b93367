// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives that send to one neighbour after the other, in the order of the list, while all receives
// are open: no more than one long message of a rank is under way, and on a grid all ranks shift the same dimension at
// the same time. Limits: none. Cost: n * (alpha + b * beta) for n neighbours, each with its wait. Source: MPI-5.0, 8.6;
// Hoefler, Traeff, "Sparse Collective Operations for MPI", 2009.
#include "collective/choose/list.hpp"
#include "collective/neighbor/exchange.hpp"

namespace starling::collective {

Task exchange_paced(Call& call, const Arguments& a) {
  const Partners partners(a);
  Lanes lanes(call, a);
  Batch batch(call);
  receive_all(batch, lanes, partners);
  for (std::int32_t i = 0; i < partners.destinations(); ++i) {
    const Partners::Partner to = partners.destination(i);
    if (!to.somebody()) continue;
    Batch one(call);
    lanes.send(one, to.block, to.rank);
    co_await one;
  }
  co_await batch;
}

namespace {

double paced_cost(const Shape& shape, const Machine& machine) {
  const double partners = shape.inter ? shape.ranks / 2.0 : shape.neighbors;
  return machine.with_own_links().exchanges(partners, static_cast<double>(shape.bytes), shape.ranks);
}

}  // namespace

STARLING_EXCHANGE_ALGORITHMS("paced", "across_paced", paced, paced_cost, "n * (alpha + b * beta + wait)");

}  // namespace starling::collective
