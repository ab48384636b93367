// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast in shared memory: the root writes its line, or slot after slot, and runs ahead of the readers as far as
// there are free ones. The readers follow the size that the root announces, so a disagreement is an error and not a
// hang. Limits: one node. Cost: one cache line; for long messages two copies, pipelined. Source: Parsons, Pai 2015 (see
// node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

constexpr auto kInline = static_cast<std::int64_t>(Line::kInline);

/// The root's side of a message that goes through slots.
Task give_slots(Call& call, const Arguments& a, Area& area) {
  datatype::PackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  const std::int64_t total = cursor.total();
  while (!cursor.done()) {
    const std::uint64_t k = area.next();
    co_await Writable(call, area, k, total);
    cursor.pack(area.slot(call.rank(), k), static_cast<std::size_t>(area.slot_bytes()));
    area.post(k, total);
    area.ring_all();
    area.finish(k);
  }
}

/// A reader's side, from step k on, which the root has posted.
Task take_slots(Call& call, const Arguments& a, Area& area, std::uint64_t k) {
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  const std::int64_t total = area.line(a.root, k).bytes;
  for (std::int64_t done = 0; done < total; done += area.slot_bytes()) {
    if (done > 0) {
      k = area.next();
      co_await call.until([&] { return area.posted(a.root, k); });
      area.saw_posted(1, k);
    }
    const std::int64_t piece = std::min(area.slot_bytes(), total - done);
    cursor.unpack(area.slot(a.root, k), static_cast<std::size_t>(piece));
    area.finish(k);
  }
}

}  // namespace

Task bcast_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  co_await bcast_in_area(call, a, turn.area());
}

Task bcast_in_area(Call& call, const Arguments& a, Area& area) {
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  if (call.rank() == a.root) {
    if (expected > kInline) {
      co_await give_slots(call, a, area);
      co_return;
    }
    const std::uint64_t k = area.next();
    co_await Writable(call, area, k, expected);
    put(area.line(call.rank(), k).payload, a.receive_buffer, a.receive_count, *a.receive_type);
    area.post(k, expected);
    area.ring_all();
    area.finish(k);
    co_return;
  }
  const std::uint64_t k = area.next();
  co_await call.until([&] { return area.posted(a.root, k); });
  area.saw_posted(1, k);
  const Line& line = area.line(a.root, k);
  compare_bytes(call, a.root, line.bytes, expected);
  if (line.bytes > kInline) {
    co_await take_slots(call, a, area, k);
    co_return;
  }
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  cursor.unpack(line.payload, static_cast<std::size_t>(line.bytes));
  area.finish(k);
}

const Algorithm bcast_shared_algorithm = {
    Operation::kBcast,
    "shared",
    kArea,
    Order::kRanks,
    &bcast_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.slot_bytes)));
      const double waits = std::max(1.0, pieces / Area::kSlotDepth);
      return waits * meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes) +
             bytes * machine.copy_byte_ns * (1 / pieces + machine.share(shape.ranks));
    },
    "line + m * 2 * copy, pipelined in slots",
    [](const Shape& shape) { return shape.slots || shape.bytes <= kInline; },
};

}  // namespace starling::collective
