// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv in shared memory: one meeting, then everybody takes out everybody's block; of allgatherv as
// many meetings as the longest block fills segments.
// Limits: one node, a block, of allgatherv the mean of all, of at most one segment. Cost: a meeting + p * b * copy +
// own a rank. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

namespace {

/// Puts this rank's block into its segment, where the others find it once they have met.
template <typename Count, typename Place>
void show_own(Call& call, SharedBuffer& shared, std::uint64_t k, const datatype::Datatype& type, const Count& count,
              const Place& place) {
  const std::int64_t own = count(call.rank());
  const std::int64_t bytes = own * type.size();
  put(shared.data(call.rank(), k, bytes), place(call.rank()), own, type);
  shared.post(k, bytes);
  if (shared.arrive(k)) shared.release(k);
}

/// Takes the blocks of all others out of theirs.
template <typename Count, typename Place>
void take_others(Call& call, SharedBuffer& shared, std::uint64_t k, const datatype::Datatype& type, const Count& count,
                 const Place& place) {
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    if (rank == call.rank()) continue;
    const std::int64_t theirs = shared.flag(rank, k).bytes;
    const std::int64_t expected = count(rank) * type.size();
    compare_bytes(call, rank, theirs, expected);
    if (theirs == expected) take(shared.data(rank, k, expected), place(rank), count(rank), type);
  }
  shared.finish(k);
}

}  // namespace

Task allgather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const auto count = [&](std::int32_t /*rank*/) { return a.receive_count; };
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, rank * a.receive_count, type); };
  const std::uint64_t k = shared.next();
  place_own_block(call, a);
  co_await Writable(call, shared, k, a.receive_count * type.size());
  show_own(call, shared, k, type, count, place);
  co_await call.until([&] { return shared.met(k); });
  take_others(call, shared, k, type, count, place);
}

Task allgatherv_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = gathered_blocks(a);
  const std::int64_t room = longest_stretch(shared) / type.size();
  if (room == 0) {
    co_await allgather_ring(call, a);  // a segment has no room for one element
    co_return;
  }
  place_own_block(call, a);
  std::int64_t longest = 0;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) longest = std::max(longest, blocks.count(rank));
  for (std::int64_t first = 0; first < longest; first += room) {
    const auto count = [&](std::int32_t rank) { return std::clamp<std::int64_t>(blocks.count(rank) - first, 0, room); };
    const auto place = [&](std::int32_t rank) {
      return element(a.receive_buffer, blocks.displacement(rank) + first, type);
    };
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, count(call.rank()) * type.size());
    show_own(call, shared, k, type, count, place);
    co_await call.until([&] { return shared.met(k); });
    take_others(call, shared, k, type, count, place);
  }
}

const Algorithm allgather_shared_algorithm = {
    Operation::kAllgather,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &allgather_shared,
    [](const Shape& shape, const Machine& machine) {
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
             (static_cast<double>(shape.bytes) * shape.ranks * machine.copy_byte_ns +
              own_block_ns(shape, machine, static_cast<double>(shape.bytes))) *
                 machine.share(shape.ranks);
    },
    "meeting + p * b * copy + own",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};
const Algorithm allgatherv_shared_algorithm = {
    Operation::kAllgatherv,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &allgatherv_shared,
    [](const Shape& shape, const Machine& machine) {
      const double block = static_cast<double>(shape.bytes) / shape.ranks;
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes / shape.ranks) +
             (static_cast<double>(shape.bytes) * machine.copy_byte_ns + own_block_ns(shape, machine, block)) *
                 machine.share(shape.ranks);
    },
    "meeting + m * copy + own",
    // Where they have segments the mean of the blocks, as allgather's: the two shall go alike.
    [](const Shape& shape) { return has_room(shape, shape.has_segments ? shape.bytes / shape.ranks : shape.bytes); },
};

}  // namespace starling::collective
