// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall in shared memory: every rank leaves all its blocks in its slot, and after one meeting takes those for it.
// Limits: one node, all blocks of a rank together of at most one slot. Cost: a meeting + 2 * p * b * copy a rank.
// Source: Parsons, Pai 2015 (see area.hpp).
#include "collective/shared.hpp"

#include "collective/list.hpp"

namespace starling::collective {

Task alltoall_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const std::int32_t ranks = call.size();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t block = a.receive_count * type.size();
  const std::int64_t all = block * ranks;
  const std::uint64_t k = area.next();
  co_await Writable(call, area, k, all);
  if (a.in_place) {
    put(area.data(call.rank(), k, all), a.receive_buffer, a.receive_count * ranks, type);
  } else {
    put(area.data(call.rank(), k, all), a.send_buffer, a.send_count * ranks, *a.send_type);
  }
  area.post(k, all);
  if (area.arrive(k)) area.release(k);
  co_await call.until([&] { return area.met(k); });
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t theirs = area.line(rank, k).bytes;
    compare_bytes(call, rank, theirs / ranks, block);
    if (theirs != all) continue;
    take(area.data(rank, k, all) + call.rank() * block, element(a.receive_buffer, rank * a.receive_count, type),
         a.receive_count, type);
  }
  area.finish(k);
}

const Algorithm alltoall_shared_algorithm = {
    Operation::kAlltoall,
    "shared",
    kArea,
    Order::kRanks,
    &alltoall_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes * shape.ranks) +
             static_cast<double>(shape.bytes) * 2 * machine.copy_byte_ns * shape.ranks * machine.share(shape.ranks);
    },
    "meeting + 2 * p * b * copy",
    [](const Shape& shape) { return has_room(shape, shape.bytes * shape.ranks); },
};

}  // namespace starling::collective
