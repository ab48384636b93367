// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gatherv in shared memory. A rank whose block fits its slot leaves it there and goes on, the others send theirs; the
// root knows every rank's count, and so which way its block comes, and no other rank has to know. Limits: one node.
// Cost: one cache line, and the copies. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

Task give_block(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::int64_t bytes = a.send_count * a.send_type->size();
  const bool fits = bytes <= longest_in_slot(area);
  const std::uint64_t k = area.next();
  co_await Writable(call, area, k, fits ? bytes : 0);
  if (fits) put(area.data(call.rank(), k, bytes), a.send_buffer, a.send_count, *a.send_type);
  area.post(k, bytes);
  // With more ranks than cores only the last to come wakes the root.
  if (!area.oversubscribed() || area.count_in(k)) area.ring(a.root);
  area.finish(k);
  if (!fits) co_await call.send(a.send_buffer, a.send_count, *a.send_type, a.root);
}

Task take_blocks(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks(a.receive_counts, a.receive_displs);
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, blocks.displacement(rank), type); };
  const std::uint64_t k = area.next();
  if (area.oversubscribed()) {
    co_await Writable(call, area, k, 0);
    area.count_in(k);
  }
  // While the others' blocks are on their way.
  if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), blocks.count(a.root), type);
  }
  Batch messages(call);
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    co_await call.until([&] { return area.posted(from, k); });
    const std::int64_t expected = blocks.count(from) * type.size();
    const std::int64_t theirs = area.line(from, k).bytes;
    if (theirs > longest_in_slot(area)) {  // a message tells by itself when it is longer or shorter than it should be
      messages.add(call.receive(place(from), blocks.count(from), type, from));
      continue;
    }
    compare_bytes(call, from, theirs, expected);
    if (theirs == expected) take(area.data(from, k, theirs), place(from), blocks.count(from), type);
  }
  area.saw_posted(call.size() - 1, k);
  area.finish(k);
  co_await messages;
}

}  // namespace

Task gatherv_shared(Call& call, const Arguments& a) {
  return call.rank() == a.root ? take_blocks(call, a) : give_block(call, a);
}

const Algorithm gatherv_shared_algorithm = {
    Operation::kGatherv,
    "shared",
    kArea,
    Order::kRanks,
    &gatherv_shared,
    [](const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine); },
    "line, and copies of what fits a slot",
    [](const Shape& shape) { return shape.slots; },
};

}  // namespace starling::collective
