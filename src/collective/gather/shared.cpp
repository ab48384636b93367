// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather in shared memory: every rank leaves its block and goes on, the root takes them out.
// Limits: one node, a block of at most one segment. Cost: one cache line + b * copy, at the root p * b * copy.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::collective {
namespace {

/// A rank other than the root leaves its block, and may.
void leave_block(SharedBuffer& shared, const Arguments& a, std::uint64_t k, std::int64_t bytes) {
  put(shared.data(shared.rank(), k, bytes, Pace::kAhead), a.send_buffer, a.send_count, *a.send_type);
  shared.post(k, bytes);
  // With more ranks than cores only the last to come wakes the root.
  if (!shared.oversubscribed() || shared.count_in(k)) shared.ring(a.root);
  shared.finish(k);
}

void* place_of(const Arguments& a, std::int32_t rank) {
  return element(a.receive_buffer, rank * a.receive_count, *a.receive_type);
}

/// The root's own block, where it has to be moved; fails where that is too long.
Status move_own_block(const Arguments& a) {
  if (a.in_place) return {};
  return datatype::copy(a.send_buffer, a.send_count, *a.send_type, place_of(a, a.root), a.receive_count,
                        *a.receive_type)
      .status();
}

void take_block(SharedBuffer& shared, const Arguments& a, std::uint64_t k, std::int32_t from, std::int64_t bytes) {
  take(shared.data(from, k, bytes, Pace::kAhead), place_of(a, from), a.receive_count, *a.receive_type);
}

void finish_root(SharedBuffer& shared, std::uint64_t k) {
  shared.saw_posted(shared.ranks() - 1, k);
  shared.finish(k);
}

bool leave_short_block(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.send_count * a.send_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_writer(bytes);
  leave_block(shared, a, k, bytes);
  return true;
}

bool take_short_blocks(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !(a.in_place || a.send_count * a.send_type->size() == bytes)) return false;
  for (std::int32_t from = 0; from < shared.ranks(); ++from) {
    if (from == a.root) continue;
    if (!shared.posted(from, k) || shared.flag(from, k).bytes != bytes) return false;
  }
  if (shared.oversubscribed()) {
    if (!shared.writable(k, shared.flag_depth())) return false;
    shared.count_in(k);
  }
  shared.next_of_reader(a.root == 0 ? 1 : 0, bytes);
  static_cast<void>(move_own_block(a));
  for (std::int32_t from = 0; from < shared.ranks(); ++from) {
    if (from != a.root) take_block(shared, a, k, from, bytes);
  }
  finish_root(shared, k);
  return true;
}

}  // namespace

Task gather_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::uint64_t k = shared.next();
  if (call.rank() != a.root) {
    const std::int64_t bytes = a.send_count * a.send_type->size();
    co_await Writable(call, shared, k, bytes, Pace::kAhead);
    leave_block(shared, a, k, bytes);
    co_return;
  }
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  if (shared.oversubscribed()) {
    co_await Writable(call, shared, k, 0);
    shared.count_in(k);
  }
  call.note(move_own_block(a));  // while the others' blocks are on their way
  for (std::int32_t from = 0; from < call.size(); ++from) {
    if (from == a.root) continue;
    co_await call.until([&] { return shared.posted(from, k); });
    const std::int64_t theirs = shared.flag(from, k).bytes;
    compare_bytes(call, from, theirs, bytes);
    if (theirs == bytes) take_block(shared, a, k, from, bytes);
  }
  finish_root(shared, k);
}

const Algorithm gather_shared_algorithm = {
    Operation::kGather,
    "shared",
    kSharedBuffer,
    Order::kRanks,
    &gather_shared,
    [](const Shape& shape, const Machine& machine) {
      return giving_ns(shape, machine, shape.bytes) + segment_ns(shape, machine, shape.bytes) +
             static_cast<double>(shape.bytes) * machine.copy_byte_ns * copies_to_root(shape, machine);
    },
    "line + p * b * copy",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
    nullptr,
    nullptr,
    &rooted_at_once<take_short_blocks, leave_short_block>,
};

}  // namespace starling::collective
