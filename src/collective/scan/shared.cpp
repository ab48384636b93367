// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan in shared memory: ((c0 OP c1) OP ...) OP ci, where a rank waits for nobody after it and so may run
// ahead. With a core for every rank each leaves its contribution and folds those of the ranks before it, one cache line
// from each; with more ranks than cores each takes the fold up to the rank before it and leaves that up to itself.
// Limits: one node, elements without gaps, one segment. Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <algorithm>
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

/// Posts what this rank has left, and wakes the ranks after it up to `end`.
void show(SharedBuffer& shared, std::uint64_t k, std::int64_t bytes, std::int32_t end) {
  shared.post(k, bytes);
  for (std::int32_t after = shared.rank() + 1; after < end; ++after) shared.ring(after);
}

/// Makes of what this rank has left the fold up to itself, and of that or of the fold before it the result.
void go_on_with(Call& call, const Arguments& a, const std::byte* fold_before, std::byte* own) {
  const datatype::Datatype& type = *a.receive_type;
  const bool inclusive = a.operation == Operation::kScan;
  if (fold_before != nullptr) {
    if (!inclusive) take(fold_before, a.receive_buffer, a.receive_count, type);
    call.reduce(fold_before, own, a.receive_count, type);
  }
  if (inclusive) take(own, a.receive_buffer, a.receive_count, type);
}

}  // namespace

Task scan_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t bytes = a.receive_count * type.size();
  const std::int32_t rank = call.rank();
  const bool chain = shared.oversubscribed();
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, bytes);
  std::byte* const own = shared.data(rank, k, bytes);
  put(own, input(a), a.receive_count, type);
  if (!chain) show(shared, k, bytes, call.size());
  bool same = true;
  for (std::int32_t before = chain ? std::max(rank - 1, 0) : 0; before < rank; ++before) {
    co_await call.until([&] { return shared.posted(before, k); });
    const std::int64_t theirs = shared.flag(before, k).bytes;
    compare_bytes(call, before, theirs, bytes);
    same &= theirs == bytes;
  }
  shared.saw_posted(rank, k);
  if (chain) {
    const bool has_fold = rank > 0 && same;
    if (bytes > 0) go_on_with(call, a, has_fold ? shared.data(rank - 1, k, bytes) : nullptr, own);
    show(shared, k, bytes, std::min(rank + 2, call.size()));
  } else {
    const std::int32_t end = a.operation == Operation::kScan ? rank + 1 : rank;
    if (same && end > 0 && bytes > 0) fold_before(call, a, shared, k, end);
  }
  shared.finish(k);
}

namespace {

double scan_shared_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  if (shape.ranks <= machine.cores) {
    return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
           bytes * shape.ranks * (machine.copy_byte_ns + machine.fold_byte_ns) / 2;
  }
  // A chain, as in linear; but all of it shares the places for so many calls (measured with 4 to 16 ranks on two).
  const double share = machine.share(shape.ranks);
  return share * (machine.line_ns + bytes * (2 * machine.copy_byte_ns + machine.fold_byte_ns)) +
         machine.wait(shape.ranks) * std::min(1.0, share / 12);
}

bool fits_slot(const Shape& shape) { return has_room(shape, shape.bytes); }

constexpr const char* kScanSharedCost =
    "a core each: meeting + m * p / 2 * (copy + gamma); else line + m * (2 * copy + gamma) + part of a wait";

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
