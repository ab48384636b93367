// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by arrival on one node (parts/partial_reduction.hpp): the last to come finds the sum of all others, adds
// its own and shows the result. Limits: one node, commutative operators, more than fits beside a flag. Cost: that of
// the reduce, and what it takes to read the result.
#include <algorithm>
#include <new>

#include "collective/bcast/shared.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/node_cost.hpp"
#include "collective/parts/partial_reduction.hpp"

namespace starling::collective {
namespace {

/// This rank has combined all: shows where the result is.
void show(SharedBuffer& shared, PartialReduction& partial) {
  new (shared.result_flag(partial.step()).payload) ResultPlace(partial.place());
  shared.release(partial.step());
}

/// Where it is, once somebody has shown it.
Task find(Call& call, SharedBuffer& shared, const PartialReduction& partial, ResultPlace& place) {
  const Flag& flag = shared.result_flag(partial.step());
  co_await call.until([&] { return flag.stamp.load(std::memory_order_acquire) >= partial.step(); });
  place = *std::launder(reinterpret_cast<const ResultPlace*>(flag.payload));
}

/// From the rank that has it to all.
Task share(Call& call, const Arguments& a, std::int32_t holder) {
  Arguments part = a;
  part.root = holder;
  if (call.node_memory().has_segments()) {
    co_await bcast_in_buffer(call, part);
  } else {
    co_await bcast_binomial(call, part);
  }
}

Task gather_and_show(Call& call, SharedBuffer& shared, PartialReduction& partial) {
  while (!partial.complete()) {
    std::int32_t from = shared.take_waiting(partial.step());
    if (from < 0 && partial.leave(from)) co_return co_await hand_over(call, partial);
    co_await combine(call, partial, from);
  }
  show(shared, partial);
}

}  // namespace

Task allreduce_arrival_order(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  PartialReduction partial(call, a, shared, nullptr);
  co_await Writable(call, shared, partial.step(), partial.room());
  if (call.size() == 1) {
    call.copy(input(a), a.receive_buffer, a.receive_count, *a.receive_type);
    shared.finish(partial.step());
    co_return;
  }
  co_await gather_and_show(call, shared, partial);
  ResultPlace place{};
  co_await find(call, shared, partial, place);
  // All follow the rank that has the result, also where their sizes differ from its.
  if (!place.by_message) {
    compare_bytes(call, place.rank, place.bytes, partial.bytes());
    if (place.bytes == partial.bytes()) {
      take(shared.data(place.rank, partial.step(), partial.bytes()), a.receive_buffer, a.receive_count,
           *a.receive_type);
    }
    shared.finish(partial.step());
    co_return;
  }
  if (place.rank == call.rank()) call.copy(partial.current(), a.receive_buffer, a.receive_count, *a.receive_type);
  shared.finish(partial.step());
  co_await share(call, a, place.rank);
}

const Algorithm allreduce_arrival_order_algorithm = {
    Operation::kAllreduce,
    "arrival_order",
    kSharedBuffer | kCommutative | kByArrival,
    Order::kAny,
    &allreduce_arrival_order,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double readers = std::max(1.0, machine.share(shape.ranks));
      return arrival_order_cost(shape, machine) + meeting_ns(shape, machine) +
             bytes * 2 * machine.copy_byte_ns * readers;
    },
    "reduce arrival_order + line + m * copy",
    &fits_arrival_order,
};

}  // namespace starling::collective
