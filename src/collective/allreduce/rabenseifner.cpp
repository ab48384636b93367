// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduce-scatter by recursive halving and an allgather by recursive doubling.
// Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. Limits: commutative operators.
// Cost: 2 * log2 p * alpha + 2 * m * beta + m * gamma.
#include <algorithm>
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/halving.hpp"

namespace starling::collective {
Task allreduce_rabenseifner(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const EqualParts parts{a.receive_count, Folding::of(call.size()).participants};
  std::vector<std::int64_t> starts;
  for (std::int64_t part = 0; part <= parts.parts; ++part) starts.push_back(parts.begin(part));
  if (!a.in_place) call.copy(a.send_buffer, a.receive_buffer, a.receive_count, type);
  co_await reduce_halves(call, a.receive_buffer, starts, type);
  co_await gather_halves(call, a.receive_buffer, starts, type);
}

const Algorithm allreduce_rabenseifner_algorithm = {
    Operation::kAllreduce,
    "rabenseifner",
    kCommutative,
    Order::kAny,
    &allreduce_rabenseifner,
    [](const Shape& shape, const Machine& machine) {
      const double steps = halving_steps(shape);
      return reduce_halves_cost(shape, machine) +
             machine.exchanges(steps, parts_moved(shape) / std::max(1.0, steps), shape.ranks) +
             folded_cost(shape, machine) +
             own_block_ns(shape, machine, static_cast<double>(shape.bytes)) * machine.share(shape.ranks);
    },
    "2 * log2(p) * alpha + m * (2 * beta + gamma) + own",
};

}  // namespace starling::collective
