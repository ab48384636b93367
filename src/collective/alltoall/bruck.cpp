// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall after Bruck: in step k every block whose distance has bit k set moves 2^k ranks ahead, all in one message.
// Source: Bruck et al., "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems",
// 1997. Limits: short blocks, for each moves up to log2 p times. Cost: log2 p * (alpha + p / 2 * b * (beta + 2 *
// copy)).
#include <algorithm>
#include <cstring>

#include "collective/choose/list.hpp"
#include "collective/parts/lanes.hpp"

namespace starling::collective {
namespace {

/// The blocks whose index has the bit set, between their places and one message.
enum class Way : std::uint8_t { kToMessage, kFromMessage };

std::int64_t move_blocks(Way way, std::byte* blocks, std::byte* message, std::int32_t ranks, std::int64_t block,
                         std::int32_t bit) {
  std::int64_t at = 0;
  for (std::int32_t index = bit; index < ranks; ++index) {
    if ((index & bit) == 0) continue;
    std::byte* place = blocks + index * block;
    if (way == Way::kToMessage) {
      std::memcpy(message + at, place, static_cast<std::size_t>(block));
    } else {
      std::memcpy(place, message + at, static_cast<std::size_t>(block));
    }
    at += block;
  }
  return at;
}

}  // namespace

Task alltoall_bruck(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const datatype::Datatype& bytes = datatype::byte_type();
  const std::int64_t block = a.receive_count * a.receive_type->size();
  Lanes lanes(call, a);
  PooledMemory blocks(call, ranks * block);
  PooledMemory outgoing(call, (ranks + 1) / 2 * block);
  PooledMemory incoming(call, (ranks + 1) / 2 * block);
  if (!lanes || !blocks.data() || !outgoing.data() || !incoming.data()) co_return;

  // Block i is on its way to the rank i ahead.
  for (std::int32_t i = 0; i < ranks; ++i) {
    const Piece piece = lanes.outgoing((me + i) % ranks);
    call.copy(piece.data, piece.count, *piece.type, blocks.data() + i * block, block, bytes);
  }
  for (std::int32_t bit = 1; bit < ranks; bit *= 2) {
    const std::int64_t length = move_blocks(Way::kToMessage, blocks.data(), outgoing.data(), ranks, block, bit);
    Batch batch(call);
    batch.add(call.receive_bytes(incoming.data(), length, (me - bit + ranks) % ranks));
    batch.add(call.send_bytes(outgoing.data(), length, (me + bit) % ranks));
    co_await batch;
    move_blocks(Way::kFromMessage, blocks.data(), incoming.data(), ranks, block, bit);
  }
  for (std::int32_t i = 0; i < ranks; ++i) {
    const Piece piece = lanes.incoming((me - i + ranks) % ranks);
    call.copy(blocks.data() + i * block, block, bytes, piece.data, piece.count, *piece.type);
  }
}

const Algorithm alltoall_bruck_algorithm = {
    Operation::kAlltoall,
    "bruck",
    kNothing,
    Order::kRanks,
    &alltoall_bruck,
    [](const Shape& shape, const Machine& machine) {
      const double steps = log2_ceil(shape.ranks);
      const double moved = static_cast<double>(shape.bytes) * shape.ranks / 2;
      return machine.exchanges(steps, moved, shape.ranks) +
             (steps + 1) * 2 * moved * machine.copy_byte_ns * machine.share(shape.ranks);
    },
    "log2(p) * (alpha + p / 2 * b * (beta + 2 * copy))",
};

}  // namespace starling::collective
