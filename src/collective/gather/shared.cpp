// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather in shared memory: every rank leaves its block and goes on, the root takes them out.
// Limits: one node, a block of at most one segment. Cost: one cache line + b * copy, at the root p * b * copy.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

Task gather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::uint64_t k = shared.next();
  if (call.rank() != a.root) {
    const std::int64_t bytes = a.send_count * a.send_type->size();
    co_await Writable(call, shared, k, bytes);
    put(shared.data(call.rank(), k, bytes), a.send_buffer, a.send_count, *a.send_type);
    shared.post(k, bytes);
    // With more ranks than cores only the last to come wakes the root.
    if (!shared.oversubscribed() || shared.count_in(k)) shared.ring(a.root);
    shared.finish(k);
    co_return;
  }
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  if (shared.oversubscribed()) {
    co_await Writable(call, shared, k, 0);
    shared.count_in(k);
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
    co_await call.until([&] { return shared.posted(from, k); });
    const std::int64_t theirs = shared.flag(from, k).bytes;
    compare_bytes(call, from, theirs, bytes);
    if (theirs == bytes) take(shared.data(from, k, theirs), place(from), a.receive_count, *a.receive_type);
  }
  shared.saw_posted(call.size() - 1, k);
  shared.finish(k);
}

const Algorithm gather_shared_algorithm = {
    Operation::kGather,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &gather_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks - 1 + machine.share(shape.ranks));
    },
    "line + p * b * copy",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};

}  // namespace starling::collective
