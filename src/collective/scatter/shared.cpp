// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter in shared memory: the root leaves all blocks in its slot, every rank takes its own.
// Limits: one node, all blocks together of at most one slot. Cost: one cache line + (p + 1) * b * copy.
// Source: Parsons, Pai 2015 (see area.hpp).
#include "collective/shared.hpp"

#include "collective/list.hpp"

namespace starling::collective {

Task scatter_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::uint64_t k = area.next();
  if (call.rank() == a.root) {
    const std::int64_t block = a.send_count * a.send_type->size();
    const std::int64_t all = block * call.size();
    co_await Writable(call, area, k, all);
    put(area.data(call.rank(), k, all), a.send_buffer, a.send_count * call.size(), *a.send_type);
    area.post(k, all);
    area.ring_all();
    if (!a.in_place) {
      call.copy(element(a.send_buffer, a.root * a.send_count, *a.send_type), a.send_count, *a.send_type,
                a.receive_buffer, a.receive_count, *a.receive_type);
    }
  } else {
    co_await call.until([&] { return area.posted(a.root, k); });
    const std::int64_t block = a.receive_count * a.receive_type->size();
    const std::int64_t all = area.line(a.root, k).bytes;
    compare_bytes(call, a.root, all / call.size(), block);
    if (all == block * call.size()) {
      take(area.data(a.root, k, all) + call.rank() * block, a.receive_buffer, a.receive_count, *a.receive_type);
    }
  }
  area.finish(k);
}

const Algorithm scatter_shared_algorithm = {
    Operation::kScatter,
    "shared",
    kArea,
    Order::kRanks,
    &scatter_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes * shape.ranks) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks + machine.share(shape.ranks));
    },
    "line + (p + 1) * b * copy",
    [](const Shape& shape) { return has_room(shape, shape.bytes * shape.ranks); },
};

}  // namespace starling::collective
