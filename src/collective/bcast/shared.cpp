// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast in shared memory: the root writes its flag, or segment after segment, and runs ahead of the readers as far
// as there are free ones. The readers follow the size that the root announces, so a disagreement is an error and not a
// hang. Limits: one node. Cost: one cache line; for long messages two copies, pipelined. Source: Parsons, Pai 2015 (see
// node/shared_buffer.hpp).
#include "collective/bcast/shared.hpp"

#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

/// The root's side of a message that goes through segments.
Task give_segments(Call& call, const Arguments& a, SharedBuffer& shared) {
  datatype::PackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  const std::int64_t total = cursor.total();
  while (!cursor.done()) {
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, total, Pace::kAhead);
    cursor.pack(shared.data(call.rank(), k, total, Pace::kAhead), static_cast<std::size_t>(shared.segment_bytes()));
    shared.post(k, total);
    shared.ring_all();
    shared.finish(k);
  }
}

/// A reader's side, from step k on, which the root has posted.
Task take_segments(Call& call, const Arguments& a, SharedBuffer& shared, std::uint64_t k) {
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  const std::int64_t total = shared.flag(a.root, k).bytes;
  for (std::int64_t done = 0; done < total; done += shared.segment_bytes()) {
    if (done > 0) {
      k = shared.next();
      co_await call.until([&] { return shared.posted(a.root, k); });
      shared.saw_posted(1, k);
    }
    const std::int64_t piece = std::min(shared.segment_bytes(), total - done);
    cursor.unpack(shared.data(a.root, k, total, Pace::kAhead), static_cast<std::size_t>(piece));
    shared.finish(k);
  }
}

/// The root gives a message that lies beside its flag.
void give_short(SharedBuffer& shared, const Arguments& a, std::uint64_t k, std::int64_t bytes) {
  put(shared.flag(a.root, k).payload, a.receive_buffer, a.receive_count, *a.receive_type);
  shared.post(k, bytes);
  shared.ring_all();
  shared.finish(k);
}

/// A reader takes a message that lies there, as long as it expects.
void take_short(SharedBuffer& shared, const Arguments& a, std::uint64_t k) {
  shared.saw_posted(1, k);
  take(shared.flag(a.root, k).payload, a.receive_buffer, a.receive_count, *a.receive_type);
  shared.finish(k);
}

bool give_at_once(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_writer(bytes);
  give_short(shared, a, k, bytes);
  return true;
}

bool take_at_once(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !shared.posted(a.root, k) || shared.flag(a.root, k).bytes != bytes) return false;
  shared.next_of_reader(a.root, bytes);
  take_short(shared, a, k);
  return true;
}

/// In one coroutine, for this is the way of the shortest calls. takes_turn: the call does not hold it yet.
Task broadcast(Call& call, const Arguments& a, bool takes_turn) {
  Turn turn(call);
  if (takes_turn) co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::int64_t expected = a.receive_count * a.receive_type->size();
  if (call.rank() == a.root) {
    if (expected > kRides) {
      co_await give_segments(call, a, shared);
      co_return;
    }
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, expected, Pace::kAhead);
    give_short(shared, a, k, expected);
    co_return;
  }
  const std::uint64_t k = shared.next();
  co_await call.until([&] { return shared.posted(a.root, k); });
  const Flag& flag = shared.flag(a.root, k);
  if (flag.bytes == expected && expected <= kRides) {
    take_short(shared, a, k);
    co_return;
  }
  shared.saw_posted(1, k);
  compare_bytes(call, a.root, flag.bytes, expected);
  if (flag.bytes > kRides) {
    co_await take_segments(call, a, shared, k);
    co_return;
  }
  datatype::UnpackCursor cursor(*a.receive_type, a.receive_buffer, a.receive_count);
  cursor.unpack(flag.payload, static_cast<std::size_t>(flag.bytes));
  shared.finish(k);
}

}  // namespace

Task bcast_shared(Call& call, const Arguments& a) { return broadcast(call, a, true); }
Task bcast_in_buffer(Call& call, const Arguments& a) { return broadcast(call, a, false); }

const Algorithm bcast_shared_algorithm = {
    Operation::kBcast,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &bcast_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.segment_bytes)));
      const double waits = std::max(1.0, pieces / SharedBufferLayout::kMostSegments);
      return waits * giving_ns(shape, machine, shape.bytes) + segment_ns(shape, machine, shape.bytes) +
             bytes * machine.copy_byte_ns * (1 / pieces + machine.share(shape.ranks));
    },
    "line + m * 2 * copy, pipelined in segments; no wait for a root that stays, if short",
    [](const Shape& shape) { return shape.has_segments || shape.bytes <= kRides; },
    nullptr,
    nullptr,
    &rooted_at_once<give_at_once, take_at_once>,
};

}  // namespace starling::collective
