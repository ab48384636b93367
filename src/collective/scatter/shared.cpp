// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter in shared memory: the root leaves the others' blocks in its slot, one behind the other, and every rank takes
// its own. Blocks that are too long go piece by piece, and the root runs ahead of the readers as far as there are free
// slots. Limits: one node. Cost: one cache line + p * b * copy, for the root moves its own block meanwhile.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

constexpr std::int64_t kSmallestPieceBytes = 64;

/// Which part of each of the blocks one step moves.
std::int64_t piece_bytes(std::int64_t block, std::int64_t slot_bytes, std::int32_t blocks) {
  const bool at_once = block * blocks <= std::max(slot_bytes, static_cast<std::int64_t>(Line::kInline));
  return at_once ? block : slot_bytes / blocks / kSmallestPieceBytes * kSmallestPieceBytes;
}

/// Where a rank's block is among those of all but the root.
std::int32_t place_of(std::int32_t rank, std::int32_t root) noexcept { return rank < root ? rank : rank - 1; }

Task give_pieces(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::int32_t ranks = call.size();
  const std::int64_t block = a.send_count * a.send_type->size();
  const std::int64_t all = block * (ranks - 1);
  const std::int64_t piece = piece_bytes(block, area.slot_bytes(), ranks - 1);
  datatype::PackCursor cursor(*a.send_type, a.send_buffer, a.send_count * ranks);
  std::int64_t done = 0;
  do {
    const std::uint64_t k = area.next();
    co_await Writable(call, area, k, all);
    std::byte* slot = area.data(call.rank(), k, all);
    const auto now = static_cast<std::size_t>(std::min(piece, block - done));
    for (std::int32_t to = 0; to < ranks; ++to) {
      if (to == a.root) continue;
      cursor.seek(to * block + done);
      cursor.pack(slot + place_of(to, a.root) * piece, now);
    }
    area.post(k, all);
    area.ring_all();
    area.finish(k);
    done += piece;
  } while (done < block);
  if (a.in_place) co_return;
  call.copy(element(a.send_buffer, a.root * a.send_count, *a.send_type), a.send_count, *a.send_type, a.receive_buffer,
            a.receive_count, *a.receive_type);
}

/// The readers follow the size that the root announces, so a disagreement is an error and not a hang.
Task take_pieces(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::int32_t blocks = call.size() - 1;
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  std::int64_t done = 0;
  std::int64_t block = 0;
  do {
    const std::uint64_t k = area.next();
    co_await call.until([&] { return area.posted(a.root, k); });
    area.saw_posted(1, k);
    const std::int64_t all = area.line(a.root, k).bytes;
    block = all / blocks;
    if (done == 0) compare_bytes(call, a.root, block, cursor.total());
    const std::int64_t piece = piece_bytes(block, area.slot_bytes(), blocks);
    if (block == cursor.total()) {
      cursor.unpack(area.data(a.root, k, all) + place_of(call.rank(), a.root) * piece,
                    static_cast<std::size_t>(std::min(piece, block - done)));
    }
    area.finish(k);
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
    kArea,
    Order::kRanks,
    &scatter_shared,
    [](const Shape& shape, const Machine& machine) {
      const std::int64_t all = shape.bytes * (shape.ranks - 1);
      const double pieces =
          std::max(1.0, static_cast<double>(all) / static_cast<double>(std::max<std::int64_t>(1, shape.slot_bytes)));
      return std::max(1.0, pieces / Area::kSlotDepth) * meeting_ns(shape, machine) + slot_ns(shape, machine, all) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * (shape.ranks - 1 + machine.share(shape.ranks));
    },
    "line + p * b * copy",
    [](const Shape& shape) {
      const bool in_pieces = shape.slots && shape.slot_bytes >= shape.ranks * kSmallestPieceBytes;
      return in_pieces || has_room(shape, shape.bytes * (shape.ranks - 1));
    },
};

}  // namespace starling::collective
