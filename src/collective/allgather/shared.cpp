// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather in shared memory: one meeting, then everybody takes out everybody's block.
// Limits: one node, a block of at most one slot. Cost: a meeting + p * b * copy + own a rank.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"

namespace starling::collective {

Task allgather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t bytes = a.receive_count * type.size();
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, rank * a.receive_count, type); };
  const std::uint64_t k = area.next();
  place_own_block(call, a);
  co_await Writable(call, area, k, bytes);
  put(area.data(call.rank(), k, bytes), place(call.rank()), a.receive_count, type);
  area.post(k, bytes);
  if (area.arrive(k)) area.release(k);
  co_await call.until([&] { return area.met(k); });
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    if (rank == call.rank()) continue;
    const std::int64_t theirs = area.line(rank, k).bytes;
    compare_bytes(call, rank, theirs, bytes);
    if (theirs == bytes) take(area.data(rank, k, bytes), place(rank), a.receive_count, type);
  }
  area.finish(k);
}

const Algorithm allgather_shared_algorithm = {
    Operation::kAllgather,
    "shared",
    kArea,
    Order::kRanks,
    &allgather_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes) +
             (static_cast<double>(shape.bytes) * shape.ranks * machine.copy_byte_ns +
              own_block_ns(shape, machine, static_cast<double>(shape.bytes))) *
                 machine.share(shape.ranks);
    },
    "meeting + p * b * copy + own",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};

}  // namespace starling::collective
