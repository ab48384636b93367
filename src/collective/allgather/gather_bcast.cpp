// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather as a gather to rank 0 and a broadcast of all blocks, over messages or through the segments.
// Limits: pays with few cores, where all ranks at once are slower than one after the other. Cost: the sum.
// Source: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines", IEEE TPDS 2010 (it bounds an allgather).
#include "collective/bcast/shared.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"

namespace starling::collective {
namespace {

Arguments as_gather(const Call& call, const Arguments& a) {
  Arguments part = a;
  part.operation = Operation::kGather;
  part.root = 0;
  if (a.in_place && call.rank() != 0) {
    part.in_place = false;
    part.send_buffer = element(a.receive_buffer, call.rank() * a.receive_count, *a.receive_type);
    part.send_count = a.receive_count;
    part.send_type = a.receive_type;
  }
  return part;
}

Arguments as_bcast(const Call& call, const Arguments& a) {
  Arguments part = a;
  part.operation = Operation::kBcast;
  part.root = 0;
  part.receive_count = a.receive_count * call.size();
  return part;
}

template <auto& kBcast>
double sum(const Shape& shape, const Machine& machine) {
  Shape gather = shape;
  gather.operation = Operation::kGather;
  Shape bcast = shape;
  bcast.operation = Operation::kBcast;
  bcast.bytes = shape.bytes * shape.ranks;
  return gather_linear_algorithm.cost(gather, machine) + kBcast.cost(bcast, machine);
}

}  // namespace

Task allgather_gather_bcast(Call& call, const Arguments& a) {
  const Arguments gather = as_gather(call, a);
  const Arguments bcast = as_bcast(call, a);
  co_await gather_linear(call, gather);
  co_await bcast_binomial(call, bcast);
}

Task allgather_gather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  const Arguments gather = as_gather(call, a);
  const Arguments bcast = as_bcast(call, a);
  co_await gather_linear(call, gather);
  co_await bcast_in_buffer(call, bcast);
}

const Algorithm allgather_gather_bcast_algorithm = {
    Operation::kAllgather,
    "gather_bcast",
    kNothing,
    Order::kRanks,
    &allgather_gather_bcast,
    &sum<bcast_binomial_algorithm>,
    "gather linear + bcast binomial",
};
const Algorithm allgather_gather_shared_algorithm = {
    Operation::kAllgather,
    "gather_shared",
    kSharedBuffer,
    Order::kRanks,
    &allgather_gather_shared,
    &sum<bcast_shared_algorithm>,
    "gather linear + bcast shared",
    [](const Shape& shape) { return shape.has_segments; },
};

}  // namespace starling::collective
