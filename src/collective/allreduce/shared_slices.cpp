// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce and reduce in shared memory with two meetings: after the first every rank folds one slice of everybody's
// contribution, after the second it (of a reduce only the root) copies the slices out. Rank order. Longer vectors go
// segment by segment. Limits: one node, elements without gaps. Cost for each segment: two meetings + m * (3 * copy +
// gamma) a rank. Source: Rabenseifner 2004 for the division of the work; Parsons, Pai 2015 for shared memory (see
// node/shared_buffer.hpp).
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// Everybody posts and waits for everybody.
Task meet(Call& call, SharedBuffer& shared, std::uint64_t k, std::int64_t bytes) {
  shared.post(k, bytes);
  if (shared.arrive(k)) shared.release(k);
  co_await call.until([&shared, k] { return shared.met(k); });
}

/// A stretch of the vector that fits a segment. All data are in segments: what is shorter lies beside the flag.
struct Stretch {
  const void* from;
  void* to;  ///< null: this rank does not want the result
  std::int64_t count;
  std::int64_t total_bytes;  ///< of the whole vector
};

/// agreed: whether all ranks bring vectors of the same size; if not there is no result.
Task reduce_stretch(Call& call, SharedBuffer& shared, const datatype::Datatype& type, const Stretch& stretch,
                    bool& agreed) {
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, stretch.total_bytes);
  put(shared.data(call.rank(), k, stretch.total_bytes), stretch.from, stretch.count, type);
  co_await meet(call, shared, k, stretch.total_bytes);
  agreed = agree(call, shared, k, stretch.total_bytes);
  if (!agreed) {
    shared.finish(k);
    co_return;
  }
  const EqualParts slices{stretch.count, call.size()};
  const std::uint64_t after = shared.next();
  co_await Writable(call, shared, after, stretch.total_bytes);
  const std::int64_t mine = slices.begin(call.rank());
  call.note(fold(*call.arguments().op, {shared, k, stretch.total_bytes}, mine, slices.length(call.rank()), type,
                 shared.data(call.rank(), after, stretch.total_bytes) + mine * type.size()));
  shared.finish(k);
  co_await meet(call, shared, after, stretch.total_bytes);
  for (std::int32_t rank = 0; rank < call.size() && stretch.to; ++rank) {
    const std::int64_t begin = slices.begin(rank);
    take(shared.data(rank, after, stretch.total_bytes) + begin * type.size(), element(stretch.to, begin, type),
         slices.length(rank), type);
  }
  shared.finish(after);
}

}  // namespace

Task allreduce_shared_slices(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t most = shared.segment_bytes() / type.size();
  const bool wants_result = a.operation == Operation::kAllreduce || call.rank() == a.root;
  bool agreed = true;
  for (std::int64_t first = 0; first < a.receive_count && agreed; first += most) {
    const Stretch stretch{element(input(a), first, type),
                          wants_result ? element(a.receive_buffer, first, type) : nullptr,
                          std::min(most, a.receive_count - first), a.receive_count * type.size()};
    co_await reduce_stretch(call, shared, type, stretch, agreed);
  }
}

namespace {

double slices_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.segment_bytes)));
  return pieces * 2 * meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
         bytes * (2 * machine.copy_byte_ns + machine.fold_byte_ns) * machine.share(shape.ranks);
}

bool needs_segments(const Shape& shape) { return shape.has_segments && shape.bytes > kRides; }

constexpr const char* kSlicesCost = "m / segment * 2 * meeting + m * (2 * copy + gamma)";

}  // namespace

const Algorithm allreduce_shared_slices_algorithm = {
    Operation::kAllreduce, "shared_slices", kSharedBuffer | kDense, Order::kRanks, &allreduce_shared_slices,
    &slices_cost,          kSlicesCost,     &needs_segments,
};
const Algorithm reduce_shared_slices_algorithm = {
    Operation::kReduce, "shared_slices", kSharedBuffer | kDense, Order::kRanks, &allreduce_shared_slices,
    &slices_cost,       kSlicesCost,     &needs_segments,
};

}  // namespace starling::collective
