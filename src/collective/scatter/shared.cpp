// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter in shared memory: the root leaves the others' blocks in its segment, one behind the other, and every rank
// takes its own. Blocks that are too long go piece by piece, and the root runs ahead of the readers as far as there are
// free segments. Limits: one node. Cost: one cache line + p * b * copy, for the root moves its own block meanwhile.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/node/dealt_pieces.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

/// The root's own block, where it has to be moved; fails where that is too long.
Status keep_own_block(const Arguments& a) {
  if (a.in_place) return {};
  return datatype::copy(element(a.send_buffer, a.root * a.send_count, *a.send_type), a.send_count, *a.send_type,
                        a.receive_buffer, a.receive_count, *a.receive_type)
      .status();
}

/// The root's blocks lie beside its flag.
bool give_short_blocks(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t block = a.send_count * a.send_type->size();
  const std::int64_t all = block * (shared.ranks() - 1);
  if (all > kRides || !(a.in_place || a.receive_count * a.receive_type->size() == block)) return false;
  const std::uint64_t k = shared.upcoming();
  if (!shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_writer(all);
  std::byte* place = shared.flag(a.root, k).payload;
  for (std::int32_t to = 0; to < shared.ranks(); ++to) {
    if (to == a.root) continue;
    put(place, element(a.send_buffer, to * a.send_count, *a.send_type), a.send_count, *a.send_type);
    place += block;
  }
  shared.post(k, all);
  shared.ring_all();
  shared.finish(k);
  static_cast<void>(keep_own_block(a));
  return true;
}

bool take_short_block(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t block = a.receive_count * a.receive_type->size();
  const std::int64_t all = block * (shared.ranks() - 1);
  const std::uint64_t k = shared.upcoming();
  if (all > kRides || !shared.posted(a.root, k) || shared.flag(a.root, k).bytes != all) return false;
  const std::int64_t begin = place_among_others(shared.rank(), a.root) * block;
  shared.next_of_reader(a.root, begin + block);
  shared.saw_posted(1, k);
  take(shared.flag(a.root, k).payload + begin, a.receive_buffer, a.receive_count, *a.receive_type);
  shared.finish(k);
  return true;
}

Task give_pieces(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int32_t ranks = call.size();
  const std::int64_t block = a.send_count * a.send_type->size();
  const std::int64_t all = block * (ranks - 1);
  const std::int64_t piece = piece_bytes(block, shared.segment_bytes(), ranks - 1);
  datatype::PackCursor cursor(*a.send_type, a.send_buffer, a.send_count * ranks);
  std::int64_t done = 0;
  do {
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, all, Pace::kAhead);
    std::byte* segment = shared.data(call.rank(), k, all, Pace::kAhead);
    const auto now = static_cast<std::size_t>(std::min(piece, block - done));
    for (std::int32_t to = 0; to < ranks; ++to) {
      if (to == a.root) continue;
      cursor.seek(to * block + done);
      cursor.pack(segment + place_among_others(to, a.root) * piece, now);
    }
    shared.post(k, all);
    shared.ring_all();
    shared.finish(k);
    done += piece;
  } while (done < block);
  call.note(keep_own_block(a));
}

/// The readers follow the size that the root announces, so a disagreement is an error and not a hang.
Task take_pieces(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int32_t blocks = call.size() - 1;
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  std::int64_t done = 0;
  std::int64_t block = 0;
  do {
    const std::uint64_t k = shared.next();
    co_await call.until([&] { return shared.posted(a.root, k); });
    shared.saw_posted(1, k);
    const std::int64_t all = shared.flag(a.root, k).bytes;
    block = all / blocks;
    if (done == 0) compare_bytes(call, a.root, block, cursor.total());
    const std::int64_t piece = piece_bytes(block, shared.segment_bytes(), blocks);
    if (block == cursor.total()) {
      cursor.unpack(shared.data(a.root, k, all, Pace::kAhead) + place_among_others(call.rank(), a.root) * piece,
                    static_cast<std::size_t>(std::min(piece, block - done)));
    }
    shared.finish(k);
    done += piece;
  } while (done < block);
}

}  // namespace

Task scatter_shared(Call& call, const Arguments& a) {
  return call.rank() == a.root ? give_pieces(call, a) : take_pieces(call, a);
}

const Algorithm scatter_shared_algorithm = {
    Operation::kScatter,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &scatter_shared,
    [](const Shape& shape, const Machine& machine) {
      const std::int64_t all = shape.bytes * (shape.ranks - 1);
      const double pieces =
          std::max(1.0, static_cast<double>(all) / static_cast<double>(std::max<std::int64_t>(1, shape.segment_bytes)));
      const double wait = all <= kMostDealtAhead ? giving_ns(shape, machine, all) : meeting_ns(shape, machine);
      return std::max(1.0, pieces / SharedBufferLayout::kMostSegments) * wait + segment_ns(shape, machine, all) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks - 1 + machine.share(shape.ranks));
    },
    "line + p * b * copy; no wait for a root that stays, if short",
    [](const Shape& shape) { return has_room_for_pieces(shape) || has_room(shape, shape.bytes * (shape.ranks - 1)); },
    nullptr,
    nullptr,
    &rooted_at_once<give_short_blocks, take_short_block>,
};

}  // namespace starling::collective
