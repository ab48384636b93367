// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall in shared memory: every rank leaves the others' blocks in its segment, and after one meeting takes those for
// it. Limits: one node, a rank's blocks for the others together of at most one segment. Cost: a meeting + 2 * (p - 1) *
// b * copy
// + own a rank. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

Task alltoall_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const void* sent = a.in_place ? a.receive_buffer : a.send_buffer;
  const std::int64_t count_sent = a.in_place ? a.receive_count : a.send_count;
  const datatype::Datatype& type_sent = a.in_place ? *a.receive_type : *a.send_type;
  const datatype::Datatype& type = *a.receive_type;
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, rank * a.receive_count, type); };
  const std::int64_t block = a.receive_count * type.size();
  const std::int64_t all = block * (ranks - 1);  // the own one is not among them
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, all);
  const std::int32_t next = me + 1;
  std::byte* segment = shared.data(me, k, all);
  put(segment, sent, me * count_sent, type_sent);
  put(segment + me * block, element(sent, next * count_sent, type_sent), (ranks - next) * count_sent, type_sent);
  shared.post(k, all);
  if (shared.arrive(k)) shared.release(k);
  if (!a.in_place)
    call.copy(element(sent, me * count_sent, type_sent), count_sent, type_sent, place(me), a.receive_count, type);
  co_await call.until([&] { return shared.met(k); });
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (rank == me) continue;
    const std::int64_t theirs = shared.flag(rank, k).bytes;
    compare_bytes(call, rank, theirs / (ranks - 1), block);
    const std::int64_t before = me < rank ? me : me - 1;
    if (theirs == all) take(shared.data(rank, k, all) + before * block, place(rank), a.receive_count, type);
  }
  shared.finish(k);
}

const Algorithm alltoall_shared_algorithm = {
    Operation::kAlltoall,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &alltoall_shared,
    [](const Shape& shape, const Machine& machine) {
      const std::int64_t others = shape.ranks - 1;
      const auto bytes = static_cast<double>(shape.bytes);
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes * others) +
             (static_cast<double>(others) * bytes * 2 * machine.copy_byte_ns + own_block_ns(shape, machine, bytes)) *
                 machine.share(shape.ranks);
    },
    "meeting + 2 * (p - 1) * b * copy + own",
    [](const Shape& shape) { return has_room(shape, shape.bytes * (shape.ranks - 1)); },
};

}  // namespace starling::collective
