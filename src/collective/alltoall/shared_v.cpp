// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoallv and alltoallw in shared memory. Every rank leaves a table and its short blocks for the others in its
// segment and sends the long ones. The table tells each rank how long its block is and where it lies, or that it comes
// as a message: no rank has to know what is sent to another. Layout, in the segment or beside the flag: BlockEntry[p] |
// blocks, one behind the other, as begin_of_block() says. Nobody waits for an empty block, and who has no other posts
// nothing. Limits: one node. Cost: a meeting, and the copies. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/block_entry.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/lanes.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// What this rank has for the others, and how each block goes.
class BlocksForAll {
 public:
  BlocksForAll(const Lanes& lanes, const SharedBuffer& shared) noexcept
      : lanes_(lanes),
        me_(shared.rank()),
        ranks_(shared.ranks()),
        room_(shared.segment_bytes()),
        longest_((room_ - table_bytes(ranks_)) / std::max(ranks_ - 1, 1)) {}

  /// Calls visit(to, piece, entry) for every other rank; where the table and the blocks end, 0 if all blocks are empty.
  template <typename Visit>
  std::int64_t lay_out(Visit&& visit) const {
    std::int64_t end = table_bytes(ranks_);
    bool has_any = false;
    for (std::int32_t to = 0; to < ranks_; ++to) {
      if (to == me_) continue;
      const Piece piece = lanes_.outgoing(to);
      const std::int64_t bytes = piece.count * piece.type->size();
      const std::int64_t begin = begin_of_block(bytes, end);
      const bool fits = bytes <= std::min(longest_, room_ - begin);
      has_any = has_any || bytes > 0;
      visit(to, piece,
            fits ? BlockEntry{static_cast<std::int32_t>(bytes), static_cast<std::int32_t>(begin)}
                 : BlockEntry{0, BlockEntry::kMessage});
      if (fits) end = begin + bytes;
    }
    return has_any ? end : 0;
  }

 private:
  const Lanes& lanes_;
  std::int32_t me_;
  std::int32_t ranks_;
  std::int64_t room_;
  std::int64_t longest_;  ///< block that goes through the segment, which so has room for about as many
};

/// The block that another rank has for this one, which expects `piece`.
void take_or_receive(Call& call, SharedBuffer& shared, std::uint64_t k, std::int32_t from, const Piece& piece,
                     Batch& messages) {
  const std::byte* const place = shared.data(from, k, shared.flag(from, k).bytes);
  const BlockEntry mine = reinterpret_cast<const BlockEntry*>(place)[shared.rank()];
  if (mine.offset == BlockEntry::kMessage) {
    messages.add(call.receive(piece.data, piece.count, *piece.type, from));
    return;
  }
  const std::int64_t expected = piece.count * piece.type->size();
  compare_bytes(call, from, mine.bytes, expected);
  if (mine.bytes == expected) take(place + mine.offset, piece.data, piece.count, *piece.type);
}

/// Of a rank that neither sends nor receives; in error somebody may wait for it.
bool pass_without_blocks(NodeMemory& memory, std::int32_t /*root*/) {
  if (memory.gate().taken()) return false;
  SharedBuffer& shared = *memory.buffer();
  shared.finish(shared.next());
  shared.ring_all();
  return true;
}

}  // namespace

Task alltoallv_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int32_t ranks = call.size();
  const std::uint64_t k = shared.next();
  Lanes lanes(call, a);
  if (!lanes) {
    shared.finish(k);
    shared.ring_all();
    co_return;
  }
  const BlocksForAll blocks(lanes, shared);
  const std::int64_t all = blocks.lay_out([](std::int32_t, const Piece&, BlockEntry) {});
  Batch messages(call);
  if (all > 0) {
    co_await Writable(call, shared, k, all);
    std::byte* const place = shared.data(call.rank(), k, all);
    blocks.lay_out([&](std::int32_t to, const Piece& piece, BlockEntry entry) {
      reinterpret_cast<BlockEntry*>(place)[to] = entry;
      if (entry.bytes > 0) put(place + entry.offset, piece.data, piece.count, *piece.type);
    });
    shared.post(k, all);
    shared.ring_all();
    blocks.lay_out([&](std::int32_t to, const Piece& piece, BlockEntry entry) {
      if (entry.offset == BlockEntry::kMessage) messages.add(call.send(piece.data, piece.count, *piece.type, to));
    });
  }
  lanes.keep_own();  // while the others' blocks are on their way
  std::int32_t seen = 0;
  for (std::int32_t step = 1; step < ranks; ++step) {
    const std::int32_t from = (call.rank() - step + ranks) % ranks;
    const Piece piece = lanes.incoming(from);
    if (piece.empty()) continue;
    co_await call.until([&] { return shared.posted(from, k) || shared.has_left(from, k); });
    if (!shared.posted(from, k)) {
      note_other_size(call, from, 0, piece.count * piece.type->size());
      continue;
    }
    ++seen;
    take_or_receive(call, shared, k, from, piece, messages);
  }
  shared.saw_posted(seen, k);
  shared.finish(k);
  if (all == 0) shared.ring_all();
  co_await messages;
}

namespace {

double shared_v_cost(const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine); }

constexpr const char* kSharedVCost = "meeting, and copies of what fits a segment";

bool has_room_for_table(const Shape& shape) {
  return shape.has_segments && shape.segment_bytes >= 2 * table_bytes(shape.ranks);
}

}  // namespace

const Algorithm alltoallv_shared_algorithm = {
    Operation::kAlltoallv, "shared",     kSharedBuffer,       Order::kRanks, &alltoallv_shared,
    &shared_v_cost,        kSharedVCost, &has_room_for_table, nullptr,       &pass_without_blocks,
};
const Algorithm alltoallw_shared_algorithm = {
    Operation::kAlltoallw, "shared",     kSharedBuffer,       Order::kRanks, &alltoallv_shared,
    &shared_v_cost,        kSharedVCost, &has_room_for_table, nullptr,       &pass_without_blocks,
};

}  // namespace starling::collective
