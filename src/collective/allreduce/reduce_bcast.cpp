// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduction to rank 0 and a broadcast over a binomial tree. The reduction goes over such a tree too, or
// through shared memory (one node), or, where its order must not depend on anything, it is linear (and the broadcast of
// long vectors goes in parts). Limits: none else. Cost: reduce + bcast.
#include "collective/bcast/shared.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/node_memory.hpp"
#include "collective/reduce/shared.hpp"

namespace starling::collective {
namespace {

/// The part of an allreduce that reduces to rank 0.
Arguments as_reduce(const Arguments& a) {
  Arguments reduce = a;
  reduce.root = 0;
  return reduce;
}

}  // namespace

Task allreduce_reduce_bcast(Call& call, const Arguments& a) {
  const Arguments part = as_reduce(a);
  co_await reduce_binomial(call, part);
  co_await bcast_binomial(call, part);
}

Task allreduce_shared_binomial(Call& call, const Arguments& a) {
  const Arguments part = as_reduce(a);
  co_await reduce_shared(call, part);
  co_await bcast_binomial(call, part);
}

Task allreduce_shared_bcast(Call& call, const Arguments& a) {
  const Arguments part = as_reduce(a);
  Turn turn(call);
  co_await turn.enter();
  co_await reduce_in_buffer(call, part, turn.buffer());
  co_await bcast_in_buffer(call, part);
}

Task allreduce_ordered(Call& call, const Arguments& a) {
  const Arguments part = as_reduce(a);
  co_await reduce_linear(call, part);
  co_await bcast_binomial(call, part);
}
Task allreduce_ordered_doubling(Call& call, const Arguments& a) {
  const Arguments part = as_reduce(a);
  co_await reduce_linear(call, part);
  co_await bcast_straight_doubling(call, part);
}

const Algorithm allreduce_reduce_bcast_algorithm = {
    Operation::kAllreduce,
    "reduce_bcast",
    kNothing,
    Order::kAny,
    &allreduce_reduce_bcast,
    [](const Shape& shape, const Machine& machine) {
      return reduce_binomial_algorithm.cost(shape, machine) + bcast_binomial_algorithm.cost(shape, machine);
    },
    "reduce binomial + bcast binomial",
};

const Algorithm allreduce_shared_binomial_algorithm = {
    Operation::kAllreduce,
    "shared_binomial",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared_binomial,
    [](const Shape& shape, const Machine& machine) {
      return reduce_shared_algorithm.cost(shape, machine) + bcast_binomial_algorithm.cost(shape, machine);
    },
    "reduce shared + bcast binomial",
    [](const Shape& shape) { return reduce_shared_algorithm.fits(shape); },
};

const Algorithm allreduce_shared_bcast_algorithm = {
    Operation::kAllreduce,
    "shared_bcast",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared_bcast,
    [](const Shape& shape, const Machine& machine) {
      return reduce_shared_algorithm.cost(shape, machine) + bcast_shared_algorithm.cost(shape, machine);
    },
    "reduce shared + bcast shared",
    [](const Shape& shape) { return reduce_shared_algorithm.fits(shape); },
};

const Algorithm allreduce_ordered_algorithm = {
    Operation::kAllreduce,
    "ordered",
    kNothing,
    Order::kRanks,
    &allreduce_ordered,
    [](const Shape& shape, const Machine& machine) {
      return reduce_linear_algorithm.cost(shape, machine) + bcast_binomial_algorithm.cost(shape, machine);
    },
    "reduce linear + bcast binomial",
};

const Algorithm allreduce_ordered_doubling_algorithm = {
    Operation::kAllreduce,
    "ordered_doubling",
    kPowerOfTwo,
    Order::kRanks,
    &allreduce_ordered_doubling,
    [](const Shape& shape, const Machine& machine) {
      return reduce_linear_algorithm.cost(shape, machine) + bcast_straight_doubling_algorithm.cost(shape, machine);
    },
    "reduce linear + bcast straight_doubling",
};

}  // namespace starling::collective
