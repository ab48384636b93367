// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a binomial tree; the whole message at each step. Limits: none. Cost: ceil(log2 p) * (alpha + m *
// beta). Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005, 4.2.
#include "collective/list.hpp"

namespace starling::collective {

Task bcast_binomial(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const auto actual = [&](std::int32_t relative) { return (relative + a.root) % ranks; };

  std::int32_t mask = 1;
  while (mask < ranks && (me & mask) == 0) mask <<= 1;
  if (me != 0) co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, actual(me - mask));
  Batch children(call);
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (me + mask < ranks) {
      children.add(call.send(a.receive_buffer, a.receive_count, *a.receive_type, actual(me + mask)));
    }
  }
  co_await children;
}

const Algorithm bcast_binomial_algorithm = {
    Operation::kBcast,
    "binomial",
    kNothing,
    Order::kRanks,
    &bcast_binomial,
    [](const Shape& shape, const Machine& machine) {
      return machine.messages(log2_ceil(shape.ranks), static_cast<double>(shape.bytes), shape.ranks);
    },
    "log2(p) * (alpha + m * beta)",
};

}  // namespace starling::collective
