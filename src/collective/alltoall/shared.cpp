// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall in shared memory: every rank leaves the others' blocks in its segment, and after one meeting takes those for
// it. Blocks that are too long go piece by piece. Limits: one node. Cost: a meeting for each segment that a rank fills
// + 2 * (p - 1) * b * copy + own a rank, a copy dearer where the blocks of all fill the caches. Source: Parsons, Pai
// 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/node/dealt_pieces.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {

namespace {

/// What a call sends: in place what it receives into.
struct Sent {
  explicit Sent(const Arguments& a) noexcept
      : buffer(a.in_place ? a.receive_buffer : a.send_buffer),
        count(a.in_place ? a.receive_count : a.send_count),
        type(a.in_place ? *a.receive_type : *a.send_type) {}

  const void* buffer;
  std::int64_t count;
  const datatype::Datatype& type;
};

void copy_own_block(Call& call, const Arguments& a, const Sent& sent) {
  if (a.in_place) return;
  const std::int32_t me = call.rank();
  call.copy(element(sent.buffer, me * sent.count, sent.type), sent.count, sent.type,
            element(a.receive_buffer, me * a.receive_count, *a.receive_type), a.receive_count, *a.receive_type);
}

/// How a rank's blocks for the others, `all` bytes together, go through its segment.
struct Pieces {
  Pieces(const SharedBuffer& shared, std::int64_t all_bytes) noexcept
      : all(all_bytes),
        block(all_bytes / (shared.ranks() - 1)),
        piece(piece_bytes(block, shared.segment_bytes(), shared.ranks() - 1)),
        steps(piece < block ? (block + piece - 1) / piece : 1) {}

  std::int64_t all;
  std::int64_t block;
  std::int64_t piece;  ///< of each block in one step
  std::int64_t steps;  ///< that it takes
};

void leave_pieces(SharedBuffer& shared, std::uint64_t k, std::int64_t step, const Pieces& pieces, const Sent& sent) {
  const std::int32_t ranks = shared.ranks();
  const std::int32_t me = shared.rank();
  std::byte* const segment = shared.data(me, k, pieces.all);
  if (pieces.steps == 1) {
    const std::int32_t next = me + 1;
    put(segment, sent.buffer, me * sent.count, sent.type);
    put(segment + me * pieces.block, element(sent.buffer, next * sent.count, sent.type), (ranks - next) * sent.count,
        sent.type);
    return;
  }
  datatype::PackCursor cursor(sent.type, sent.buffer, sent.count * ranks);
  const std::int64_t done = step * pieces.piece;
  for (std::int32_t to = 0; to < ranks; ++to) {
    if (to == me) continue;
    cursor.seek(to * pieces.block + done);
    cursor.pack(segment + place_among_others(to, me) * pieces.piece,
                static_cast<std::size_t>(std::min(pieces.piece, pieces.block - done)));
  }
}

void take_piece(SharedBuffer& shared, std::uint64_t k, std::int64_t step, const Pieces& pieces, const Arguments& a,
                std::int32_t from) {
  const datatype::Datatype& type = *a.receive_type;
  const std::byte* const piece =
      shared.data(from, k, pieces.all) + place_among_others(shared.rank(), from) * pieces.piece;
  void* const to = element(a.receive_buffer, from * a.receive_count, type);
  if (pieces.steps == 1) return take(piece, to, a.receive_count, type);
  datatype::UnpackCursor cursor(type, to, a.receive_count);
  const std::int64_t done = step * pieces.piece;
  cursor.seek(done);
  cursor.unpack(piece, static_cast<std::size_t>(std::min(pieces.piece, pieces.block - done)));
}

}  // namespace

/// The ranks go on as long as any of them has something left, so a disagreement is an error and not a hang.
Task alltoall_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const Sent sent(a);
  const Pieces own(shared, a.receive_count * a.receive_type->size() * (call.size() - 1));
  std::int64_t steps = own.steps;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, own.all);
    if (step < own.steps) leave_pieces(shared, k, step, own, sent);
    shared.post(k, own.all);
    if (shared.arrive(k)) shared.release(k);
    if (step == 0) copy_own_block(call, a, sent);
    co_await call.until([&] { return shared.met(k); });
    for (std::int32_t rank = 0; rank < call.size(); ++rank) {
      if (rank == call.rank()) continue;
      const std::int64_t theirs = shared.flag(rank, k).bytes;
      if (theirs == own.all) [[likely]] {
        if (step < own.steps) take_piece(shared, k, step, own, a, rank);
        continue;
      }
      const Pieces of_another_size(shared, theirs);
      if (step == 0) compare_bytes(call, rank, of_another_size.block, own.block);
      steps = std::max(steps, of_another_size.steps);
    }
    shared.finish(k);
  }
}

/// As that of bytes copied once (Machine::long_byte), where the blocks of all ranks fill the caches: with 8 ranks on 2
/// cores of a Xeon 64 KiB and 512 KiB take 1.1 and 1.6 times as long as by messages, 32 KiB 0.65 times.
double crowding(const Shape& shape, const Machine& machine) {
  constexpr double kBytesOfCaches = 2 * 1024 * 1024;
  const double all_blocks = static_cast<double>(shape.bytes) * shape.ranks * (shape.ranks - 1);
  return all_blocks > kBytesOfCaches ? machine.long_byte(shape.ranks) / machine.long_byte_ns : 1;
}

const Algorithm alltoall_shared_algorithm = {
    Operation::kAlltoall,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &alltoall_shared,
    [](const Shape& shape, const Machine& machine) {
      const std::int64_t others = shape.ranks - 1;
      const auto all = static_cast<double>(shape.bytes) * static_cast<double>(others);
      const double steps = std::max(1.0, all / static_cast<double>(std::max<std::int64_t>(shape.segment_bytes, 1)));
      // Each further piece begins with a cache line that nothing has fetched in advance.
      const double pieces = (steps - 1) * static_cast<double>(others);
      return steps * meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes * others) +
             (all * 2 * machine.copy_byte_ns * crowding(shape, machine) + pieces * machine.line_ns +
              own_block_ns(shape, machine, static_cast<double>(shape.bytes))) *
                 machine.share(shape.ranks);
    },
    "(p - 1) * b / segment * meeting + 2 * (p - 1) * b * copy + own",
    [](const Shape& shape) { return has_room_for_pieces(shape) || has_room(shape, shape.bytes * (shape.ranks - 1)); },
};

}  // namespace starling::collective
