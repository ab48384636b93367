// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gatherv in shared memory. A rank whose block fits its segment leaves it there and goes on, the others send theirs;
// the root knows every rank's count, and so which way its block comes, and no other rank has to know. Nobody waits for
// an empty block, and who has one posts nothing. Limits: one node. Cost: one cache line, and the copies. Source:
// Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// The root knows that this rank's block is empty, or finds that the rank has left.
void leave_empty(SharedBuffer& shared, std::uint64_t k, std::int32_t root) {
  shared.finish(k);
  shared.ring(root);
}

Task give_block(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int64_t bytes = a.send_count * a.send_type->size();
  const bool fits = bytes <= longest_in_segment(shared);
  const std::uint64_t k = shared.next();
  if (bytes == 0) {
    leave_empty(shared, k, a.root);
    co_return;
  }
  co_await Writable(call, shared, k, fits ? bytes : 0);
  if (fits) put(shared.data(call.rank(), k, bytes), a.send_buffer, a.send_count, *a.send_type);
  shared.post(k, bytes);
  shared.ring(a.root);
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
  // While the others' blocks are on their way.
  if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), blocks.count(a.root), type);
  }
  Batch messages(call);
  bool all_came = true;
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    const std::int64_t expected = blocks.count(from) * type.size();
    if (expected == 0) {
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

/// Of a rank with an empty block, and of a root for which there is none.
bool pass(NodeMemory& memory, std::int32_t root) {
  if (memory.gate().taken()) return false;
  leave_empty(*memory.buffer(), memory.buffer()->next(), root);
  return true;
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
    nullptr,
    &pass,
};

}  // namespace starling::collective
