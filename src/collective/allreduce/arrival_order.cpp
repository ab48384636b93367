// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by arrival on one node (parts/partial_reduction.hpp): the last to come finds the sum of all others, adds
// its own and shows the result. Limits: one node, commutative operators, more than a line. Cost: that of the reduce,
// and what it takes to read the result.
#include <algorithm>
#include <new>

#include "collective/choose/list.hpp"
#include "collective/parts/partial_reduction.hpp"

namespace starling::collective {
namespace {

/// This rank has combined all: shows where the result is.
void show(Area& area, Partial& partial) {
  new (area.result_line(partial.step()).payload) Place(partial.place());
  area.release(partial.step());
}

/// Where it is, once somebody has shown it.
Task find(Call& call, Area& area, const Partial& partial, Place& place) {
  const Line& line = area.result_line(partial.step());
  co_await call.until([&] { return line.stamp.load(std::memory_order_acquire) >= partial.step(); });
  place = *std::launder(reinterpret_cast<const Place*>(line.payload));
}

/// From the rank that has it to all.
Task share(Call& call, const Arguments& a, Area& area, std::int32_t holder) {
  Arguments part = a;
  part.root = holder;
  if (call.state().slots) {
    co_await bcast_in_area(call, part, area);
  } else {
    co_await bcast_binomial(call, part);
  }
}

Task gather_and_show(Call& call, Area& area, Partial& partial) {
  while (!partial.complete()) {
    std::int32_t from = area.take_waiting(partial.step());
    if (from < 0 && partial.leave(from)) co_return co_await hand_over(call, partial);
    co_await combine(call, partial, from);
  }
  show(area, partial);
}

}  // namespace

Task allreduce_as_they_come(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  Partial partial(call, a, area, nullptr);
  co_await Writable(call, area, partial.step(), partial.room());
  if (call.size() == 1) {
    call.copy(input(a), a.receive_buffer, a.receive_count, *a.receive_type);
    area.finish(partial.step());
    co_return;
  }
  co_await gather_and_show(call, area, partial);
  Place place{};
  co_await find(call, area, partial, place);
  // All follow the rank that has the result, also where their sizes differ from its.
  if (!place.by_message) {
    compare_bytes(call, place.rank, place.bytes, partial.bytes());
    if (place.bytes == partial.bytes()) {
      take(area.slot(place.rank, partial.step()), a.receive_buffer, a.receive_count, *a.receive_type);
    }
    area.finish(partial.step());
    co_return;
  }
  if (place.rank == call.rank()) call.copy(partial.current(), a.receive_buffer, a.receive_count, *a.receive_type);
  area.finish(partial.step());
  co_await share(call, a, area, place.rank);
}

const Algorithm allreduce_as_they_come_algorithm = {
    Operation::kAllreduce,
    "as_they_come",
    kArea | kCommutative | kByArrival,
    Order::kAny,
    &allreduce_as_they_come,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double readers = std::max(1.0, machine.share(shape.ranks));
      return as_they_come_cost(shape, machine) + meeting_ns(shape, machine) +
             bytes * 2 * machine.copy_byte_ns * readers;
    },
    "reduce as they come + line + m * copy",
    &takes_as_they_come,
};

}  // namespace starling::collective
