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
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

/// The root knows that this rank's block is empty, or finds that the rank has left.
void leave_empty(SharedBuffer& shared, std::uint64_t k, std::int32_t root) {
  shared.finish(k);
  shared.ring(root);
}

/// What comes of a rank's block beside its flag or in its segment: nothing that it would have to wait for.
void give(SharedBuffer& shared, const Arguments& a, std::uint64_t k, std::int64_t bytes) {
  put(shared.data(shared.rank(), k, bytes, Pace::kAhead), a.send_buffer, a.send_count, *a.send_type);
  shared.post(k, bytes);
  shared.ring(a.root);
  shared.finish(k);
}

bool leave_short_block_v(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.send_count * a.send_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes == 0 || bytes > kRides || !shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_writer(bytes);
  give(shared, a, k, bytes);
  return true;
}

/// The blocks of the root of a gatherv.
struct Incoming {
  explicit Incoming(const Arguments& arguments) noexcept : a(arguments) {}

  [[nodiscard]] void* place(std::int32_t rank) const noexcept {
    return element(a.receive_buffer, blocks.displacement(rank), *a.receive_type);
  }
  [[nodiscard]] std::int64_t bytes(std::int32_t rank) const noexcept {
    return blocks.count(rank) * a.receive_type->size();
  }
  void take_block(SharedBuffer& shared, std::uint64_t k, std::int32_t from) const {
    take(shared.data(from, k, bytes(from), Pace::kAhead), place(from), blocks.count(from), *a.receive_type);
  }
  /// The root's own, where it has to be moved; fails where that is too long.
  [[nodiscard]] Status move_own() const {
    if (a.in_place) return {};
    return datatype::copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), blocks.count(a.root),
                          *a.receive_type)
        .status();
  }

  const Arguments& a;
  Blocks blocks{a.receive_counts, a.receive_displs};
};

bool take_short_blocks_v(SharedBuffer& shared, const Arguments& a) {
  const Incoming in(a);
  const std::uint64_t k = shared.upcoming();
  if (!a.in_place && a.send_count * a.send_type->size() != in.bytes(a.root)) return false;
  for (std::int32_t from = 0; from < shared.ranks(); ++from) {
    if (from == a.root) continue;
    const std::int64_t expected = in.bytes(from);
    if (expected == 0 || expected > kRides) return false;
    if (!shared.posted(from, k) || shared.flag(from, k).bytes != expected) return false;
  }
  const std::int32_t first = a.root == 0 ? 1 : 0;
  shared.next_of_reader(first, in.bytes(first));
  static_cast<void>(in.move_own());
  for (std::int32_t from = 0; from < shared.ranks(); ++from) {
    if (from != a.root) in.take_block(shared, k, from);
  }
  shared.saw_posted(shared.ranks() - 1, k);
  shared.finish(k);
  return true;
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
  co_await Writable(call, shared, k, fits ? bytes : 0, Pace::kAhead);
  if (fits) {
    give(shared, a, k, bytes);
    co_return;
  }
  shared.post(k, bytes);
  shared.ring(a.root);
  shared.finish(k);
  co_await call.send(a.send_buffer, a.send_count, *a.send_type, a.root);
}

Task take_blocks(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const Incoming in(a);
  const std::uint64_t k = shared.next();
  call.note(in.move_own());  // while the others' blocks are on their way
  Batch messages(call);
  bool all_came = true;
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    const std::int64_t expected = in.bytes(from);
    if (expected == 0) {
      all_came = false;
      continue;
    }
    co_await call.until([&] { return shared.posted(from, k) || shared.has_left(from, k); });
    const std::int64_t theirs = shared.posted(from, k) ? shared.flag(from, k).bytes : 0;
    if (theirs >
        longest_in_segment(shared)) {  // a message tells by itself when it is longer or shorter than it should be
      messages.add(call.receive(in.place(from), in.blocks.count(from), *a.receive_type, from));
      continue;
    }
    compare_bytes(call, from, theirs, expected);
    if (theirs == expected) in.take_block(shared, k, from);
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
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * copies_to_root(shape, machine);
    },
    "line, and copies of what fits a segment",
    [](const Shape& shape) { return shape.has_segments; },
    nullptr,
    &pass,
    &rooted_at_once<take_short_blocks_v, leave_short_block_v>,
};

}  // namespace starling::collective
