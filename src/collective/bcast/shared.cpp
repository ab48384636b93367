// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast in shared memory: the root writes its line, or slot after slot, and runs ahead of the readers as far as there
// are free ones. The readers follow the size that the root announces, so a disagreement is an error and not a hang.
// Limits: one node. Cost: one cache line; for long messages two copies, pipelined. Source: Parsons, Pai 2015 (see area.hpp).
#include <algorithm>

#include "collective/list.hpp"
#include "collective/shared.hpp"
#include "datatype/pack.hpp"

namespace starling::collective {
namespace {

constexpr auto kInline = static_cast<std::int64_t>(Line::kInline);

Task give(Call& call, const Arguments& a, Area& area) {
  datatype::PackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  const std::int64_t total = cursor.total();
  const std::int64_t piece = total <= kInline ? kInline : area.slot_bytes();
  do {
    const std::uint64_t k = area.next();
    co_await Writable(call, area, k, total);
    cursor.pack(area.data(call.rank(), k, total), static_cast<std::size_t>(piece));
    area.post(k, total);
    area.ring_all();
    area.finish(k);
  } while (!cursor.done());
}

Task take(Call& call, const Arguments& a, Area& area) {
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  std::int64_t done = 0;
  std::int64_t total = 0;
  do {
    const std::uint64_t k = area.next();
    co_await call.until([&] { return area.posted(a.root, k); });
    total = area.line(a.root, k).bytes;
    if (done == 0) compare_bytes(call, a.root, total, cursor.total());
    const std::int64_t piece = std::min(total <= kInline ? kInline : area.slot_bytes(), total - done);
    cursor.unpack(area.data(a.root, k, total), static_cast<std::size_t>(piece));
    done += piece;
    area.finish(k);
  } while (done < total);
}

}  // namespace

Task bcast_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  if (call.rank() == a.root) {
    co_await give(call, a, turn.area());
  } else {
    co_await take(call, a, turn.area());
  }
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
      return waits * meeting_ns(shape, machine) +
             bytes * machine.copy_byte_ns * (1 / pieces + machine.share(shape.ranks));
    },
    "line + m * 2 * copy, pipelined in slots",
    [](const Shape& shape) { return shape.slots || shape.bytes <= kInline; },
};

}  // namespace starling::collective
