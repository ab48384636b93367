// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction by arrival on one node: the root takes what is left there until it has all, any other
// rank what it finds, and leaves the sum. Limits: one node, commutative operators, more than fits beside a flag. Cost:
// balanced, a tree of pairs that meet; behind a late rank its own vector.
#include "collective/choose/list.hpp"
#include "collective/parts/partial_reduction.hpp"

namespace starling::collective {
namespace {

/// The root waits for what others leave.
Task collect(Call& call, SharedBuffer& shared, PartialReduction& partial) {
  while (!partial.complete()) {
    std::int32_t from = -1;
    co_await call.until([&] { return (from = shared.take_waiting(partial.step())) >= 0; });
    co_await combine(call, partial, from);
  }
}

}  // namespace

Task reduce_arrival_order(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const bool root = call.rank() == a.root;
  if (root && !a.in_place) call.copy(a.send_buffer, a.receive_buffer, a.receive_count, *a.receive_type);
  PartialReduction partial(call, a, shared, root ? a.receive_buffer : nullptr);
  co_await Writable(call, shared, partial.step(), partial.room());
  if (root) {
    co_await collect(call, shared, partial);
    if (partial.current() != a.receive_buffer) {
      call.copy(partial.current(), a.receive_buffer, a.receive_count, *a.receive_type);
    }
  } else {
    std::int32_t from = shared.take_waiting(partial.step());
    while (from >= 0 || !partial.leave(from)) {
      co_await combine(call, partial, from);
      from = shared.take_waiting(partial.step());
    }
    shared.ring(a.root);
    co_await hand_over(call, partial);
  }
  shared.finish(partial.step());
}

const Algorithm reduce_arrival_order_algorithm = {
    Operation::kReduce, "arrival_order",       kSharedBuffer | kCommutative | kByArrival,
    Order::kAny,        &reduce_arrival_order, &arrival_order_cost,
    kArrivalOrderCost,  &fits_arrival_order,
};

}  // namespace starling::collective
