// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast straight from the root: a message to every rank. A short one waits for nobody: the root goes on once its
// messages lie in the receivers' rings, and with more ranks than cores a receiver finds as many of them as came since
// it last had its core. (The root of bcast/shared.cpp waits for such a turn after four calls.) Limits: linear in the
// ranks; one node. Cost: alpha + (p - 2) * next + (p - 1) * m * beta. Source: MPI-5.0, 6.4.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"

namespace starling::collective {

Task bcast_linear(Call& call, const Arguments& a) {
  if (call.rank() != a.root) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
    co_return;
  }
  Batch messages(call);
  for (std::int32_t to = 0; to < call.size(); ++to) {
    if (to != a.root) messages.add(call.send(a.receive_buffer, a.receive_count, *a.receive_type, to));
  }
  co_await messages;
}

const Algorithm bcast_linear_algorithm = {
    Operation::kBcast, "linear",
    kSharedBuffer,  // where it serves: over a network the root's link would carry everything
    Order::kRanks,     &bcast_linear, &dealt_cost, kDealtCost,
};

}  // namespace starling::collective
