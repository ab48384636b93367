// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction by arrival on one node: the root takes what is left there until it has all, any other
// rank what it finds, and leaves the sum. Limits: one node, commutative operators, more than a line. Cost: balanced, a
// tree of pairs that meet; behind a late rank its own vector.
#include "collective/choose/list.hpp"
#include "collective/parts/partial_reduction.hpp"

namespace starling::collective {
namespace {

/// The root waits for what others leave.
Task collect(Call& call, Area& area, Partial& partial) {
  while (!partial.complete()) {
    std::int32_t from = -1;
    co_await call.until([&] { return (from = area.take_waiting(partial.step())) >= 0; });
    co_await combine(call, partial, from);
  }
}

}  // namespace

Task reduce_as_they_come(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const bool root = call.rank() == a.root;
  if (root && !a.in_place) call.copy(a.send_buffer, a.receive_buffer, a.receive_count, *a.receive_type);
  Partial partial(call, a, area, root ? a.receive_buffer : nullptr);
  co_await Writable(call, area, partial.step(), partial.room());
  if (root) {
    co_await collect(call, area, partial);
    if (partial.current() != a.receive_buffer) {
      call.copy(partial.current(), a.receive_buffer, a.receive_count, *a.receive_type);
    }
  } else {
    std::int32_t from = area.take_waiting(partial.step());
    while (from >= 0 || !partial.leave(from)) {
      co_await combine(call, partial, from);
      from = area.take_waiting(partial.step());
    }
    area.ring(a.root);
    co_await hand_over(call, partial);
  }
  area.finish(partial.step());
}

const Algorithm reduce_as_they_come_algorithm = {
    Operation::kReduce, "as_they_come",       kArea | kCommutative | kByArrival,
    Order::kAny,        &reduce_as_they_come, &as_they_come_cost,
    kAsTheyComeCost,    &takes_as_they_come,
};

}  // namespace starling::collective
