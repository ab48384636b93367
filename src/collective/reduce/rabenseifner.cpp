// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction as a reduce-scatter by recursive halving and a gather up a binomial tree to the root.
// Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. Limits: commutative operators.
// Cost: 2 * log2 p * alpha + 2 * m * beta + m * gamma.
#include <algorithm>
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/halving.hpp"

namespace starling::collective {
namespace {

/// Part i at participant i -> all parts at participant `top`.
Task gather_parts(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type,
                  std::int32_t top) {
  const Folding folding = Folding::of(call.size());
  const std::int32_t me = folding.participant(call.rank());
  if (me == Folding::kNone) co_return;
  for (std::int32_t mask = 1; mask < folding.participants; mask *= 2) {
    const bool gives = ((me ^ top) & mask) != 0;
    const std::int32_t base = (gives ? me : me ^ mask) & ~(mask - 1);
    const std::int64_t first = starts[static_cast<std::size_t>(base)];
    const std::int64_t count = starts[static_cast<std::size_t>(base + mask)] - first;
    void* place = element(data, first, type);
    if (gives) {
      co_await call.send(place, count, type, folding.rank(me ^ mask));
      co_return;
    }
    co_await call.receive(place, count, type, folding.rank(me ^ mask));
  }
}

}  // namespace

Task reduce_rabenseifner(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Folding folding = Folding::of(call.size());
  const EqualParts parts{a.receive_count, folding.participants};
  std::vector<std::int64_t> starts;
  for (std::int32_t part = 0; part <= folding.participants; ++part) starts.push_back(parts.begin(part));

  const bool root = call.rank() == a.root;
  Scratch spare(call, root ? 0 : a.receive_count, type);
  if (!spare) co_return;
  void* data = root ? a.receive_buffer : spare.data();
  if (!root || !a.in_place) call.copy(input(a), data, a.receive_count, type);
  co_await reduce_halves(call, data, starts, type);

  // A root that does not take part gets the result from the neighbour that stands for it.
  const bool root_folded = folding.participant(a.root) == Folding::kNone;
  const std::int32_t top = root_folded ? a.root + 1 : a.root;
  co_await gather_parts(call, data, starts, type, folding.participant(top));
  if (!root_folded) co_return;
  if (root) co_await call.receive(data, a.receive_count, type, top);
  if (call.rank() == top) co_await call.send(data, a.receive_count, type, a.root);
}

const Algorithm reduce_rabenseifner_algorithm = {
    Operation::kReduce,
    "rabenseifner",
    kCommutative,
    Order::kAny,
    &reduce_rabenseifner,
    [](const Shape& shape, const Machine& machine) {
      const double steps = halving_steps(shape);
      return reduce_halves_cost(shape, machine) +
             machine.messages(steps, parts_moved(shape) / std::max(1.0, steps), shape.ranks) +
             folded_cost(shape, machine) + copied_cost(shape, machine);
    },
    "2 * log2(p) * alpha + m * (2 * beta + gamma) + own",
};

}  // namespace starling::collective
