// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast around late ranks: down a binomial tree in the order of arrival, so that nobody waits for a late rank.
// Limits: only where it is known when ranks come. Cost: log2(p) * (alpha + m * beta); once, for those who are there,
// when others are late. Source: Patarasuk, Yuan, "Efficient MPI Bcast across Different Process Arrival Patterns", IPDPS
// 2008.
#include "arrival/run/arrival_tree.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/list.hpp"

namespace starling::collective {

Task bcast_clairvoyant(Call& call, const Arguments& a) {
  const auto order = arrival::order_of_arrival(a.prediction->arrivals, a.root);
  const arrival::TreePlace place(order, call.rank());
  if (place.parent != arrival::TreePlace::kNone) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, place.parent);
  }
  Batch sends(call);
  for (const int child : place.children) {
    sends.add(call.send(a.receive_buffer, a.receive_count, *a.receive_type, child));
  }
  co_await sends;
}

const Algorithm bcast_clairvoyant_algorithm = {
    Operation::kBcast,
    "clairvoyant",
    kPredicted | kByArrival,
    Order::kRanks,
    &bcast_clairvoyant,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      return shape.late ? machine.message(bytes) : machine.messages(log2_ceil(shape.ranks), bytes, shape.ranks);
    },
    "log2(p) * (alpha + m * beta); once when late",
};

}  // namespace starling::collective
