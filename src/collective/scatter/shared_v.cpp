// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatterv in shared memory. The root leaves a table and the short blocks in its segment as long as there is room, and
// sends what remains. The table tells every rank how long its block is and where it lies, or that it comes as a
// message. Layout of the segment: BlockEntry[p] | blocks, one behind the other, as begin_of_block() says; the table of
// few ranks lies beside the flag instead. Where all blocks fit beside the flag they lie there, behind a table of two
// bytes for each rank: that is so if the root posts no more bytes than fit there. Nobody waits for an empty block, and
// a root that has no other posts nothing. Limits: one node. Cost: one cache line, and the copies. Source: Parsons, Pai
// 2015 (see node/shared_buffer.hpp).
#include <algorithm>
#include <limits>

#include "collective/choose/list.hpp"
#include "collective/node/block_entry.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

/// Of a block beside the flag.
struct ShortEntry {
  std::uint8_t bytes;
  std::uint8_t offset;
};
static_assert(sizeof(ShortEntry) == 2 && kRides <= std::numeric_limits<std::uint8_t>::max());

std::int64_t short_table_bytes(std::int32_t ranks) noexcept {
  return ranks * static_cast<std::int64_t>(sizeof(ShortEntry));
}

/// Where the table lies: beside the flag if it fits there, else before the blocks. all: what the root writes.
std::byte* table_of(SharedBuffer& shared, std::int32_t root, std::uint64_t k, std::int64_t all) noexcept {
  return table_bytes(shared.ranks()) <= kRides ? shared.flag(root, k).payload : shared.data(root, k, all, Pace::kAhead);
}

/// The root's blocks and where they go: one behind the other as long as there is room, if not all are messages.
struct Outgoing {
  Outgoing(const Arguments& arguments, const SharedBuffer& shared) noexcept
      : a(arguments),
        root(shared.rank()),
        ranks(shared.ranks()),
        room(shared.segment_bytes()),
        longest(longest_in_segment(shared)) {
    for (std::int32_t to = 0; to < ranks; ++to) total += bytes(to);
    if (shared.oversubscribed() && total > kMostDealtAhead) longest = 0;
  }

  [[nodiscard]] const void* block(std::int32_t to) const noexcept {
    return element(a.send_buffer, blocks.displacement(to), *a.send_type);
  }
  [[nodiscard]] std::int64_t bytes(std::int32_t to) const noexcept {
    return to == root ? 0 : blocks.count(to) * a.send_type->size();
  }
  /// Calls visit(to, entry) for each rank; how much room the table and the blocks take.
  template <typename Visit>
  std::int64_t lay_out(Visit&& visit) const {
    std::int64_t end = table_bytes(ranks);
    for (std::int32_t to = 0; to < ranks; ++to) {
      const std::int64_t size = bytes(to);
      const std::int64_t begin = begin_of_block(size, end);
      const bool fits = size <= std::min(longest, room - begin);
      visit(to, fits ? BlockEntry{static_cast<std::int32_t>(size), static_cast<std::int32_t>(begin)}
                     : BlockEntry{0, BlockEntry::kMessage});
      if (fits) end = begin + size;
    }
    return end;
  }

  /// What the root posts: where all ends, which says where it lies.
  [[nodiscard]] std::int64_t end() const {
    const std::int64_t beside_flag = short_table_bytes(ranks) + total;
    return beside_flag <= kRides ? beside_flag : std::max(lay_out([](std::int32_t, BlockEntry) {}), kRides + 1);
  }

  const Arguments& a;
  Blocks blocks{a.send_counts, a.send_displs};
  std::int32_t root;
  std::int32_t ranks;
  std::int64_t room;
  std::int64_t longest;
  std::int64_t total = 0;  ///< bytes for others
};

constexpr std::int64_t kNoRoom = -1;

/// Leaves all blocks beside the flag; where they end, or kNoRoom.
std::int64_t leave_beside_flag(SharedBuffer& shared, const Arguments& a, std::uint64_t k) {
  const Blocks blocks(a.send_counts, a.send_displs);
  const std::int64_t element_bytes = a.send_type->size();
  std::byte* const place = shared.flag(a.root, k).payload;
  auto* const table = reinterpret_cast<ShortEntry*>(place);
  std::int64_t end = short_table_bytes(shared.ranks());
  if (end > kRides) return kNoRoom;
  for (std::int32_t to = 0; to < shared.ranks(); ++to) {
    const std::int64_t size = to == a.root ? 0 : blocks.count(to) * element_bytes;
    if (size > kRides - end) return kNoRoom;
    table[to] = {static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(end)};
    if (size == 0) continue;
    put(place + end, element(a.send_buffer, blocks.displacement(to), *a.send_type), blocks.count(to), *a.send_type);
    end += size;
  }
  return end;
}

/// Leaves the table and the blocks that have room, which end at `all`.
const BlockEntry* leave_blocks(SharedBuffer& shared, const Outgoing& out, std::uint64_t k, std::int64_t all) {
  std::byte* place = shared.data(out.root, k, all, Pace::kAhead);
  auto* table = reinterpret_cast<BlockEntry*>(table_of(shared, out.root, k, all));
  out.lay_out([&](std::int32_t to, BlockEntry entry) {
    table[to] = entry;
    if (entry.bytes > 0) put(place + entry.offset, out.block(to), out.blocks.count(to), *out.a.send_type);
  });
  return table;
}

void tell(SharedBuffer& shared, std::uint64_t k, std::int64_t all) {
  shared.post(k, all);
  shared.ring_all();
}

/// The root's own block, where it has to be moved; fails where that is too long.
Status keep_own_block_v(const Arguments& a) {
  if (a.in_place) return {};
  const Blocks blocks(a.send_counts, a.send_displs);
  return datatype::copy(element(a.send_buffer, blocks.displacement(a.root), *a.send_type), blocks.count(a.root),
                        *a.send_type, a.receive_buffer, a.receive_count, *a.receive_type)
      .status();
}

/// This rank's entry in the table of a step that the root has posted.
BlockEntry entry_of_own(SharedBuffer& shared, std::int32_t root, std::uint64_t k) {
  const Flag& flag = shared.flag(root, k);
  if (flag.bytes > kRides)
    return reinterpret_cast<const BlockEntry*>(table_of(shared, root, k, flag.bytes))[shared.rank()];
  const ShortEntry own = reinterpret_cast<const ShortEntry*>(flag.payload)[shared.rank()];
  return {own.bytes, own.offset};
}

/// Table and blocks lie beside the root's flag.
bool give_short_blocks_v(SharedBuffer& shared, const Arguments& a) {
  const std::uint64_t k = shared.upcoming();
  if (!shared.writable(k, shared.flag_depth())) return false;
  const Blocks blocks(a.send_counts, a.send_displs);
  const std::int64_t own = blocks.count(a.root) * a.send_type->size();
  if (!a.in_place && a.receive_count * a.receive_type->size() != own) return false;
  // Nobody looks at what is written here before the step is posted: it may come to nothing.
  const std::int64_t end = leave_beside_flag(shared, a, k);
  if (end == kNoRoom || end == short_table_bytes(shared.ranks())) return false;
  shared.next_of_writer(end);
  tell(shared, k, end);
  shared.finish(k);
  static_cast<void>(keep_own_block_v(a));
  return true;
}

bool take_short_block_v(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (expected == 0 || !shared.posted(a.root, k)) return false;
  if (shared.flag(a.root, k).bytes > kRides) return false;
  const BlockEntry mine = entry_of_own(shared, a.root, k);
  if (mine.bytes != expected) return false;
  shared.next_of_reader(a.root, mine.offset + mine.bytes);
  shared.saw_posted(1, k);
  take(shared.flag(a.root, k).payload + mine.offset, a.receive_buffer, a.receive_count, *a.receive_type);
  shared.finish(k);
  return true;
}

Task give_blocks(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const Outgoing out(a, shared);
  const std::int64_t all = out.end();
  const std::uint64_t k = shared.next();
  if (out.total == 0) {
    shared.finish(k);
    shared.ring_all();
    call.note(keep_own_block_v(a));
    co_return;
  }
  co_await Writable(call, shared, k, all, Pace::kAhead);
  const bool beside_flag = all <= kRides;
  const BlockEntry* const table = beside_flag ? nullptr : leave_blocks(shared, out, k, all);
  if (beside_flag) leave_beside_flag(shared, a, k);
  tell(shared, k, all);
  Batch messages(call);
  for (std::int32_t to = 0; to < call.size() && !beside_flag; ++to) {
    if (table[to].offset == BlockEntry::kMessage)
      messages.add(call.send(out.block(to), out.blocks.count(to), *a.send_type, to));
  }
  shared.finish(k);
  call.note(keep_own_block_v(a));
  co_await messages;
}

Task take_block(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::uint64_t k = shared.next();
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  if (expected == 0) {
    shared.finish(k);
    co_return;
  }
  co_await call.until([&] { return shared.posted(a.root, k) || shared.has_left(a.root, k); });
  if (!shared.posted(a.root, k)) {
    note_other_size(call, a.root, 0, expected);
    shared.finish(k);
    co_return;
  }
  shared.saw_posted(1, k);
  const std::byte* place = shared.data(a.root, k, shared.flag(a.root, k).bytes, Pace::kAhead);
  const BlockEntry mine = entry_of_own(shared, a.root, k);
  if (mine.offset != BlockEntry::kMessage) {
    compare_bytes(call, a.root, mine.bytes, expected);
    if (mine.bytes == expected) take(place + mine.offset, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  shared.finish(k);
  if (mine.offset == BlockEntry::kMessage) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
  }
}

/// Of a rank whose block is empty, and of a root that has none but empty ones, which somebody may wait for in error.
bool pass(NodeMemory& memory, std::int32_t root) {
  if (memory.gate().taken()) return false;
  SharedBuffer& shared = *memory.buffer();
  shared.finish(shared.next());
  if (shared.rank() == root) shared.ring_all();
  return true;
}

}  // namespace

Task scatterv_shared(Call& call, const Arguments& a) {
  return call.rank() == a.root ? give_blocks(call, a) : take_block(call, a);
}

const Algorithm scatterv_shared_algorithm = {
    Operation::kScatterv,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &scatterv_shared,
    [](const Shape& shape, const Machine& machine) {
      return giving_ns(shape, machine, kRides) + segment_ns(shape, machine, shape.bytes) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks - 1 + machine.share(shape.ranks));
    },
    "line, and copies of what fits a segment",
    [](const Shape& shape) { return shape.has_segments && shape.segment_bytes >= 2 * table_bytes(shape.ranks); },
    nullptr,
    &pass,
    &rooted_at_once<give_short_blocks_v, take_short_block_v>,
};

}  // namespace starling::collective
