// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction in shared memory: every rank leaves its contribution and goes on, the root folds them in rank order.
// Limits: one node, elements without gaps. Cost: one cache line and one copy; the root reads p * m bytes.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include "collective/reduce/shared.hpp"

#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// The part of the vector that one step takes.
struct ReducePiece {
  std::uint64_t k;
  std::int64_t first;
  std::int64_t count;
  std::int64_t total_bytes;  ///< of the whole vector
};

/// A rank other than the root leaves its contribution.
void leave(const Arguments& a, SharedBuffer& shared, const ReducePiece& piece) {
  shared.post(piece.k, piece.total_bytes);
  // With more ranks than cores only the last to come wakes the root.
  if (!shared.oversubscribed() || shared.count_in(piece.k)) shared.ring(a.root);
}

/// The root, once all have posted. Fails as the operator does.
Status collect(const Arguments& a, SharedBuffer& shared, const ReducePiece& piece) {
  const void* own = a.in_place ? nullptr : element(a.send_buffer, piece.first, *a.receive_type);
  return fold(*a.op, {shared, piece.k, piece.total_bytes, own, Pace::kAhead}, 0, piece.count, *a.receive_type,
              element(a.receive_buffer, piece.first, *a.receive_type));
}

/// A contribution that lies beside the flag.
bool leave_short(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_writer(bytes);
  put(shared.flag(shared.rank(), k).payload, a.send_buffer, a.receive_count, *a.receive_type);
  leave(a, shared, {k, 0, a.receive_count, bytes});
  shared.finish(k);
  return true;
}

/// Not by an operator of the user's, which may fail and may call MPI.
bool collect_short(SharedBuffer& shared, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  const std::uint64_t k = shared.upcoming();
  if (bytes > kRides || !a.op->is_predefined()) return false;
  for (std::int32_t from = 0; from < shared.ranks(); ++from) {
    if (from == a.root) continue;
    if (!shared.posted(from, k) || shared.flag(from, k).bytes != bytes) return false;
  }
  if ((a.in_place || shared.oversubscribed()) && !shared.writable(k, shared.flag_depth())) return false;
  shared.next_of_reader(a.root == 0 ? 1 : 0, bytes);
  if (a.in_place) put(shared.flag(a.root, k).payload, a.receive_buffer, a.receive_count, *a.receive_type);
  if (shared.oversubscribed()) shared.count_in(k);
  shared.saw_posted(shared.ranks() - 1, k);
  static_cast<void>(collect(a, shared, {k, 0, a.receive_count, bytes}));
  shared.finish(k);
  return true;
}

}  // namespace

Task reduce_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  co_await reduce_in_buffer(call, a, turn.buffer());
}

Task reduce_in_buffer(Call& call, const Arguments& a, SharedBuffer& shared) {
  const datatype::Datatype& type = *a.receive_type;
  const bool root = call.rank() == a.root;
  const std::int64_t total = a.receive_count * type.size();
  const bool rides = total <= kRides;
  const std::int64_t most = rides ? a.receive_count : shared.segment_bytes() / type.size();

  std::int64_t first = 0;
  do {
    const ReducePiece piece{shared.next(), first, std::min(most, a.receive_count - first), total};
    if (!root || a.in_place || shared.oversubscribed()) co_await Writable(call, shared, piece.k, total, Pace::kAhead);
    if (!root || a.in_place) {
      put(shared.data(call.rank(), piece.k, total, Pace::kAhead), element(input(a), first, type), piece.count, type);
    }
    if (!root) {
      leave(a, shared, piece);
    } else {
      if (shared.oversubscribed()) shared.count_in(piece.k);
      std::int32_t seen = 0;
      co_await call.until([&] {
        while (seen < call.size() && (seen == a.root || shared.posted(seen, piece.k))) ++seen;
        return seen == call.size();
      });
      shared.saw_posted(call.size() - 1, piece.k);
      for (std::int32_t rank = 0; rank < call.size(); ++rank) {
        if (rank != a.root) compare_bytes(call, rank, shared.flag(rank, piece.k).bytes, piece.total_bytes);
      }
      call.note(collect(a, shared, piece));
    }
    shared.finish(piece.k);
    first += piece.count;
  } while (first < a.receive_count);
}

const Algorithm reduce_shared_algorithm = {
    Operation::kReduce,
    "shared",
    kSharedBuffer | kDense,
    Order::kRanks,
    &reduce_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.segment_bytes)));
      const double share = machine.share(shape.ranks);
      const double copied = machine.copy_byte_ns * share;
      const double folded = shape.ranks * machine.fold_byte_ns;
      // While the root folds a piece the others copy the next: the longer of the root's work and of what the other
      // cores have to do, or, where they are shared, of what each has of all the work.
      const double elsewhere = share > 1 ? copied + machine.fold_byte_ns * share : copied;
      // Where cores are shared the root has to have a turn for each piece.
      const double waits = share > 1 ? pieces : std::max(1.0, pieces / SharedBufferLayout::kMostSegments);
      return waits * meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
             (pieces - 1) * machine.line_ns +
             bytes / pieces * (copied + folded + (pieces - 1) * std::max(folded, elsewhere));
    },
    "line + m * (copy + p * gamma), pipelined in segments",
    [](const Shape& shape) { return shape.has_segments || shape.bytes <= kRides; },
    nullptr,
    nullptr,
    &rooted_at_once<collect_short, leave_short>,
};

}  // namespace starling::collective
