// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter around late ranks: the root sends every rank its block, first to those who come first, so that nobody waits
// behind a late rank.
// Limits: only where it is known when ranks come. Cost: linear when balanced; one message behind a late rank.
// Source: Faraj, Patarasuk, Yuan, "A Study of Process Arrival Patterns for MPI Collective Operations", IJPP 2008.
#include "arrival/run/arrival_tree.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"

namespace starling::collective {

Task scatter_clairvoyant(Call& call, const Arguments& a) {
  if (call.rank() != a.root) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
    co_return;
  }
  const auto block = [&](std::int32_t rank) { return element(a.send_buffer, rank * a.send_count, *a.send_type); };
  Batch sends(call);
  for (const int to : arrival::order_of_arrival(a.prediction->arrivals, a.root)) {
    if (to != a.root) sends.add(call.send(block(to), a.send_count, *a.send_type, to));
  }
  if (!a.in_place) {
    call.copy(block(a.root), a.send_count, *a.send_type, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  co_await sends;
}

const Algorithm scatter_clairvoyant_algorithm = {
    Operation::kScatter,      "clairvoyant",         kPredicted | kByArrival, Order::kRanks, &scatter_clairvoyant,
    &blocks_around_late_cost, kBlocksAroundLateCost,
};

}  // namespace starling::collective
