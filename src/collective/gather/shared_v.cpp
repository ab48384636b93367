// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gatherv in shared memory. A rank whose block fits its segment leaves it there and goes on, the others send theirs;
// the root knows every rank's count, and so which way its block comes, and no other rank has to know. With a core for
// every rank nobody waits for an empty block, and who has one posts nothing. Limits: one node. Cost: one cache line,
// and the copies. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

Task give_block(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int64_t bytes = a.send_count * a.send_type->size();
  const bool fits = bytes <= longest_in_segment(shared);
  const std::uint64_t k = shared.next();
  if (bytes == 0 && !shared.oversubscribed()) {  // the root knows it, or finds that this rank has left
    shared.finish(k);
    shared.ring(a.root);
    co_return;
  }
  co_await Writable(call, shared, k, fits ? bytes : 0);
  if (fits) put(shared.data(call.rank(), k, bytes), a.send_buffer, a.send_count, *a.send_type);
  shared.post(k, bytes);
  // With more ranks than cores only the last to come wakes the root.
  if (!shared.oversubscribed() || shared.count_in(k)) shared.ring(a.root);
  shared.finish(k);
  if (!fits) co_await call.send(a.send_buffer, a.send_count, *a.send_type, a.root);
}

Task take_blocks(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks(a.receive_counts, a.receive_displs);
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, blocks.displacement(rank), type); };
  const std::uint64_t k = shared.next();
  if (shared.oversubscribed()) {
    co_await Writable(call, shared, k, 0);
    shared.count_in(k);
  }
  // While the others' blocks are on their way.
  if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), blocks.count(a.root), type);
  }
  Batch messages(call);
  bool all_came = true;
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    const std::int64_t expected = blocks.count(from) * type.size();
    if (expected == 0 && !shared.oversubscribed()) {
      all_came = false;
      continue;
    }
    co_await call.until([&] { return shared.posted(from, k) || shared.has_left(from, k); });
    const std::int64_t theirs = shared.posted(from, k) ? shared.flag(from, k).bytes : 0;
    if (theirs >
        longest_in_segment(shared)) {  // a message tells by itself when it is longer or shorter than it should be
      messages.add(call.receive(place(from), blocks.count(from), type, from));
      continue;
    }
    compare_bytes(call, from, theirs, expected);
    if (theirs == expected) take(shared.data(from, k, theirs), place(from), blocks.count(from), type);
  }
  if (all_came) shared.saw_posted(call.size() - 1, k);
  shared.finish(k);
  co_await messages;
}

}  // namespace

Task gatherv_shared(Call& call, const Arguments& a) {
  return call.rank() == a.root ? take_blocks(call, a) : give_block(call, a);
}

const Algorithm gatherv_shared_algorithm = {
    Operation::kGatherv,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &gatherv_shared,
    [](const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine); },
    "line, and copies of what fits a segment",
    [](const Shape& shape) { return shape.has_segments; },
};

}  // namespace starling::collective
