// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather in shared memory: every rank leaves its block and goes on, the root takes them out.
// Limits: one node, a block of at most one slot. Cost: one cache line + b * copy, at the root p * b * copy.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"

namespace starling::collective {

Task gather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::uint64_t k = area.next();
  if (call.rank() != a.root) {
    const std::int64_t bytes = a.send_count * a.send_type->size();
    co_await Writable(call, area, k, bytes);
    put(area.data(call.rank(), k, bytes), a.send_buffer, a.send_count, *a.send_type);
    area.post(k, bytes);
    // With more ranks than cores only the last to come wakes the root.
    if (!area.oversubscribed() || area.count_in(k)) area.ring(a.root);
    area.finish(k);
    co_return;
  }
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  if (area.oversubscribed()) {
    co_await Writable(call, area, k, 0);
    area.count_in(k);
  }
  const auto place = [&](std::int32_t rank) {
    return element(a.receive_buffer, rank * a.receive_count, *a.receive_type);
  };
  // While the others' blocks are on their way.
  if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), a.receive_count, *a.receive_type);
  }
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    co_await call.until([&] { return area.posted(from, k); });
    const std::int64_t theirs = area.line(from, k).bytes;
    compare_bytes(call, from, theirs, bytes);
    if (theirs == bytes) take(area.data(from, k, theirs), place(from), a.receive_count, *a.receive_type);
  }
  area.saw_posted(call.size() - 1, k);
  area.finish(k);
}

const Algorithm gather_shared_algorithm = {
    Operation::kGather,
    "shared",
    kArea,
    Order::kRanks,
    &gather_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks - 1 + machine.share(shape.ranks));
    },
    "line + p * b * copy",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};

}  // namespace starling::collective
