// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatterv in shared memory. The root leaves a table and the blocks in its slot as long as there is room, and sends
// what remains. The table tells every rank how long its block is and where it lies, or that it comes as a message.
// Layout of the slot: Entry[p] | blocks, one behind the other.
// Limits: one node. Cost: one cache line, and the copies. Source: Parsons, Pai 2015 (see area.hpp).
#include <cstring>

#include "collective/buffers.hpp"
#include "collective/list.hpp"
#include "collective/shared.hpp"

namespace starling::collective {
namespace {

struct Entry {
  std::int64_t bytes;
  std::int64_t offset;  ///< in the slot; kMessage: it is sent

  static constexpr std::int64_t kMessage = -1;
};

Task give_blocks(Call& call, const Arguments& a, Area& area) {
  const datatype::Datatype& type = *a.send_type;
  const Blocks blocks(a.send_counts, a.send_displs);
  const auto block = [&](std::int32_t rank) { return element(a.send_buffer, blocks.displacement(rank), type); };
  const std::uint64_t k = area.next();
  co_await Writable(call, area, k, area.slot_bytes());
  std::byte* slot = area.slot(call.rank(), k);
  auto* table = reinterpret_cast<Entry*>(slot);
  std::int64_t at = call.size() * static_cast<std::int64_t>(sizeof(Entry));
  for (std::int32_t to = 0; to < call.size(); ++to) {
    const std::int64_t bytes = to == call.rank() ? 0 : blocks.count(to) * type.size();
    const bool fits = at + bytes <= area.slot_bytes();
    table[to] = Entry{bytes, fits ? at : Entry::kMessage};
    if (!fits || bytes == 0) continue;
    put(slot + at, block(to), blocks.count(to), type);
    at += bytes;
  }
  area.post(k, at);
  area.ring_all();
  Batch messages(call);
  for (std::int32_t to = 0; to < call.size(); ++to) {
    if (table[to].offset == Entry::kMessage) messages.add(call.send(block(to), blocks.count(to), type, to));
  }
  area.finish(k);
  if (!a.in_place) {
    call.copy(block(a.root), blocks.count(a.root), type, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  co_await messages;
}

Task take_block(Call& call, const Arguments& a, Area& area) {
  const std::uint64_t k = area.next();
  co_await call.until([&] { return area.posted(a.root, k); });
  area.saw_posted(1, k);
  const std::byte* slot = area.slot(a.root, k);
  const Entry mine = reinterpret_cast<const Entry*>(slot)[call.rank()];
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  if (mine.offset != Entry::kMessage) {
    compare_bytes(call, a.root, mine.bytes, expected);
    if (mine.bytes == expected) take(slot + mine.offset, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  area.finish(k);
  if (mine.offset == Entry::kMessage) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
  }
}

}  // namespace

Task scatterv_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  if (call.rank() == a.root) {
    co_await give_blocks(call, a, turn.area());
  } else {
    co_await take_block(call, a, turn.area());
  }
}

const Algorithm scatterv_shared_algorithm = {
    Operation::kScatterv,
    "shared",
    kArea,
    Order::kRanks,
    &scatterv_shared,
    [](const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine) + 2 * machine.line_ns; },
    "line, and copies of what fits a slot",
    [](const Shape& shape) {
      return shape.slots && shape.slot_bytes >= 2 * shape.ranks * static_cast<std::int64_t>(sizeof(Entry));
    },
};

}  // namespace starling::collective
