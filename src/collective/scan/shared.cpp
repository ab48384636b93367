// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan in shared memory: one meeting, then every rank folds the contributions of those before it:
// ((c0 OP c1) OP ...) OP ci. Limits: one node, elements without gaps, one segment.
// Cost: a meeting + m * (copy + p * (copy + gamma)). Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <cstring>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {
namespace {

/// The fold of the contributions of ranks 0 to `end` - 1; end > 0.
void fold_before(Call& call, const Arguments& a, SharedBuffer& shared, std::uint64_t k, std::int32_t end) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t bytes = a.receive_count * type.size();
  if (end <= 2) {  // no more than the result's own place is needed
    take(shared.data(end - 1, k, bytes), a.receive_buffer, a.receive_count, type);
    if (end == 2) call.reduce(shared.data(0, k, bytes), a.receive_buffer, a.receive_count, type);
    return;
  }
  Combining prefix(call, shared.data(0, k, bytes), a.receive_count, type);
  for (std::int32_t rank = 1; rank < end; ++rank) {
    void* operand = prefix.incoming();
    if (!operand) return;
    std::memcpy(operand, shared.data(rank, k, bytes), static_cast<std::size_t>(bytes));
    prefix.append();
  }
  take(static_cast<const std::byte*>(prefix.current()), a.receive_buffer, a.receive_count, type);
}

}  // namespace

Task scan_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t bytes = a.receive_count * type.size();
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, bytes);
  put(shared.data(call.rank(), k, bytes), input(a), a.receive_count, type);
  shared.post(k, bytes);
  if (shared.arrive(k)) shared.release(k);
  co_await call.until([&] { return shared.met(k); });
  const std::int32_t end = a.operation == Operation::kScan ? call.rank() + 1 : call.rank();
  if (agree(call, shared, k, bytes) && end > 0 && bytes > 0) fold_before(call, a, shared, k, end);
  shared.finish(k);
}

namespace {

double scan_shared_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
         bytes * machine.share(shape.ranks) * shape.ranks * (machine.copy_byte_ns + machine.fold_byte_ns) / 2;
}

bool fits_slot(const Shape& shape) { return has_room(shape, shape.bytes); }

constexpr const char* kScanSharedCost = "meeting + m * p / 2 * (copy + gamma)";

}  // namespace

const Algorithm scan_shared_algorithm = {
    Operation::kScan, "shared",          kSharedBuffer | kDense, Order::kRanks,
    &scan_shared,     &scan_shared_cost, kScanSharedCost,        &fits_slot,
};
const Algorithm exscan_shared_algorithm = {
    Operation::kExscan, "shared",          kSharedBuffer | kDense, Order::kRanks,
    &scan_shared,       &scan_shared_cost, kScanSharedCost,        &fits_slot,
};

}  // namespace starling::collective
