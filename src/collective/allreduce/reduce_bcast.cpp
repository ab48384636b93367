// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduction to rank 0 and a broadcast, each over a binomial tree or through shared memory (one node),
// or, where the order of the reduction must not depend on anything, a linear one (and the broadcast of long vectors
// goes in parts). Limits: none else. Cost: reduce + bcast.
#include "collective/bcast/shared.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/node_memory.hpp"
#include "collective/parts/spread.hpp"
#include "collective/reduce/shared.hpp"

namespace starling::collective {
namespace {

/// The part of an allreduce that reduces to rank 0.
Arguments as_reduce(const Arguments& a) {
  Arguments reduce = a;
  reduce.root = 0;
  return reduce;
}

template <auto& kReduce, auto& kBcast>
double cost_of_both(const Shape& shape, const Machine& machine) {
  return kReduce.cost(shape, machine) + kBcast.cost(shape, machine);
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
    &cost_of_both<reduce_binomial_algorithm, bcast_binomial_algorithm>,
    "reduce binomial + bcast binomial",
};

const Algorithm allreduce_shared_binomial_algorithm = {
    Operation::kAllreduce,
    "shared_binomial",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared_binomial,
    &cost_of_both<reduce_shared_algorithm, bcast_binomial_algorithm>,
    "reduce shared + bcast binomial",
    &composed_fits<reduce_shared_algorithm>,
};

const Algorithm allreduce_shared_bcast_algorithm = {
    Operation::kAllreduce,          "shared_bcast",
    kSharedBuffer | kDense,         Order::kRanks,
    &allreduce_shared_bcast,        &cost_of_both<reduce_shared_algorithm, bcast_shared_algorithm>,
    "reduce shared + bcast shared", &composed_fits<reduce_shared_algorithm>,
};

const Algorithm allreduce_ordered_algorithm = {
    Operation::kAllreduce,
    "ordered",
    kNothing,
    Order::kRanks,
    &allreduce_ordered,
    &cost_of_both<reduce_linear_algorithm, bcast_binomial_algorithm>,
    "reduce linear + bcast binomial",
};

const Algorithm allreduce_ordered_doubling_algorithm = {
    Operation::kAllreduce,
    "ordered_doubling",
    kPowerOfTwo,
    Order::kRanks,
    &allreduce_ordered_doubling,
    &cost_of_both<reduce_linear_algorithm, bcast_straight_doubling_algorithm>,
    "reduce linear + bcast straight_doubling",
};

}  // namespace starling::collective
