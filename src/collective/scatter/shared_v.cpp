// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatterv in shared memory. The root leaves a table and the short blocks in its segment as long as there is room, and
// sends what remains. The table tells every rank how long its block is and where it lies, or that it comes as a
// message. Layout of the segment: Entry[p] | blocks, one behind the other. What fits beside the flag lies there
// instead, at the same offset: the table of few ranks, and if there is room for all, the blocks as well. Nobody waits
// for an empty block, and a root that has no other posts nothing. Limits: one node. Cost: one cache line, and the
// copies. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

struct Entry {
  std::int32_t bytes;   ///< of a block that is there
  std::int32_t offset;  ///< kMessage: it is sent

  static constexpr std::int32_t kMessage = -1;
};
static_assert(sizeof(Entry) == 8);

std::int64_t table_bytes(std::int32_t ranks) noexcept { return ranks * static_cast<std::int64_t>(sizeof(Entry)); }

/// Where the table lies: beside the flag if it fits there, else before the blocks. all: what the root writes.
std::byte* table_of(SharedBuffer& shared, std::int32_t root, std::uint64_t k, std::int64_t all) noexcept {
  return table_bytes(shared.ranks()) <= kRides ? shared.flag(root, k).payload : shared.data(root, k, all);
}

/// The root's blocks and where they go: one behind the other as long as there is room.
struct Outgoing {
  Outgoing(const Arguments& arguments, const SharedBuffer& shared) noexcept
      : a(arguments),
        root(shared.rank()),
        ranks(shared.ranks()),
        room(shared.segment_bytes()),
        longest(longest_in_segment(shared)) {}

  [[nodiscard]] const void* block(std::int32_t to) const noexcept {
    return element(a.send_buffer, blocks.displacement(to), *a.send_type);
  }
  [[nodiscard]] std::int64_t bytes(std::int32_t to) const noexcept {
    return to == root ? 0 : blocks.count(to) * a.send_type->size();
  }
  /// Whether there is nothing for anybody else.
  [[nodiscard]] bool is_empty() const noexcept {
    std::int32_t to = 0;
    while (to < ranks && bytes(to) == 0) ++to;
    return to == ranks;
  }
  /// Calls visit(to, entry) for each rank; how much room the table and the blocks take.
  template <typename SiteTimer>
  std::int64_t lay_out(SiteTimer&& visit) const {
    std::int64_t end = table_bytes(ranks);
    for (std::int32_t to = 0; to < ranks; ++to) {
      const std::int64_t size = bytes(to);
      const bool fits = size <= std::min(longest, room - end);
      visit(to,
            fits ? Entry{static_cast<std::int32_t>(size), static_cast<std::int32_t>(end)} : Entry{0, Entry::kMessage});
      if (fits) end += size;
    }
    return end;
  }

  const Arguments& a;
  Blocks blocks{a.send_counts, a.send_displs};
  std::int32_t root;
  std::int32_t ranks;
  std::int64_t room;
  std::int64_t longest;
};

/// Leaves the table and the blocks that have room, which end at `all`, and tells everybody.
const Entry* leave_blocks(SharedBuffer& shared, const Outgoing& out, std::uint64_t k, std::int64_t all) {
  std::byte* place = shared.data(out.root, k, all);
  auto* table = reinterpret_cast<Entry*>(table_of(shared, out.root, k, all));
  out.lay_out([&](std::int32_t to, Entry entry) {
    table[to] = entry;
    if (entry.bytes > 0) put(place + entry.offset, out.block(to), out.blocks.count(to), *out.a.send_type);
  });
  shared.post(k, all);
  shared.ring_all();
  return table;
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
Entry entry_of_own(SharedBuffer& shared, std::int32_t root, std::uint64_t k) {
  return reinterpret_cast<const Entry*>(table_of(shared, root, k, shared.flag(root, k).bytes))[shared.rank()];
}

/// Table and blocks lie beside the root's flag.
bool give_short_blocks_v(SharedBuffer& shared, const Arguments& a) {
  const Blocks blocks(a.send_counts, a.send_displs);
  const std::int64_t element_bytes = a.send_type->size();
  const std::uint64_t k = shared.upcoming();
  std::int64_t end = table_bytes(shared.ranks());
  if (end > kRides || !shared.writable(k, shared.flag_depth())) return false;
  if (!a.in_place && a.receive_count * a.receive_type->size() != blocks.count(a.root) * element_bytes) return false;
  // Nobody looks at what is written here before the step is posted: it may come to nothing.
  std::byte* const place = shared.flag(a.root, k).payload;
  auto* const table = reinterpret_cast<Entry*>(place);
  bool any = false;
  for (std::int32_t to = 0; to < shared.ranks(); ++to) {
    const std::int64_t size = to == a.root ? 0 : blocks.count(to) * element_bytes;
    if (size > kRides - end) return false;
    table[to] = {static_cast<std::int32_t>(size), static_cast<std::int32_t>(end)};
    if (size == 0) continue;
    put(place + end, element(a.send_buffer, blocks.displacement(to), *a.send_type), blocks.count(to), *a.send_type);
    end += size;
    any = true;
  }
  if (!any) return false;
  shared.next_of_writer();
  shared.post(k, end);
  shared.ring_all();
  shared.finish(k);
  static_cast<void>(keep_own_block_v(a));
  return true;
}

bool take_short_block_v(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (expected == 0 || !shared.posted(a.root, k)) return false;
  const std::int64_t all = shared.flag(a.root, k).bytes;
  const Entry mine = entry_of_own(shared, a.root, k);
  if (all > kRides || mine.offset == Entry::kMessage || mine.bytes != expected) return false;
  shared.next_of_reader(a.root);
  shared.saw_posted(1, k);
  take(shared.data(a.root, k, all) + mine.offset, a.receive_buffer, a.receive_count, *a.receive_type);
  shared.finish(k);
  return true;
}

Task give_blocks(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const Outgoing out(a, shared);
  const std::int64_t all = out.lay_out([](std::int32_t, Entry) {});
  const std::uint64_t k = shared.next();
  if (out.is_empty()) {
    shared.finish(k);
    shared.ring_all();
    call.note(keep_own_block_v(a));
    co_return;
  }
  co_await Writable(call, shared, k, all);
  const Entry* const table = leave_blocks(shared, out, k, all);
  Batch messages(call);
  for (std::int32_t to = 0; to < call.size(); ++to) {
    if (table[to].offset == Entry::kMessage)
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
  const std::byte* place = shared.data(a.root, k, shared.flag(a.root, k).bytes);
  const Entry mine = entry_of_own(shared, a.root, k);
  if (mine.offset != Entry::kMessage) {
    compare_bytes(call, a.root, mine.bytes, expected);
    if (mine.bytes == expected) take(place + mine.offset, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  shared.finish(k);
  if (mine.offset == Entry::kMessage) {
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
    [](const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine); },
    "line, and copies of what fits a segment",
    [](const Shape& shape) { return shape.has_segments && shape.segment_bytes >= 2 * table_bytes(shape.ranks); },
    nullptr,
    &pass,
    &rooted_at_once<give_short_blocks_v, take_short_block_v>,
};

}  // namespace starling::collective
