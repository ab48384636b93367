// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives with all messages under way at once.
// Limits: none. Cost: 1.2 * (alpha + (n - 1) * next) + n * b * beta for n neighbours, one wait. Source: MPI-5.0, 8.6;
// Hoefler, Traeff, "Sparse Collective Operations for MPI", 2009.
#include "collective/choose/list.hpp"
#include "collective/neighbor/exchange.hpp"

namespace starling::collective {

Task exchange_linear(Call& call, const Arguments& a) {
  const Partners partners(a);
  Lanes lanes(call, a);
  Batch batch(call);
  receive_all(batch, lanes, partners);
  for (std::int32_t i = 0; i < partners.destinations(); ++i) {
    const Partners::Partner to = partners.destination(i);
    if (to.somebody()) lanes.send(batch, to.block, to.rank);
  }
  co_await batch;
}

namespace {

double neighbor_linear_cost(const Shape& shape, const Machine& machine) {
  const double partners = shape.inter ? shape.ranks / 2.0 : shape.neighbors;
  const double moved = partners * machine.transfer(static_cast<double>(shape.bytes));
  return machine.share(shape.ranks) * (1.2 * machine.starts(machine.next_both(), partners) + moved) +
         machine.wait(shape.ranks);
}

}  // namespace

STARLING_EXCHANGE_ALGORITHMS("linear", "across", linear, neighbor_linear_cost,
                             "1.2 * (alpha + (n - 1) * next) + n * b * beta + wait");

}  // namespace starling::collective
