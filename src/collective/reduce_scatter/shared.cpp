// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in shared memory: every rank leaves its whole contribution, and after one meeting folds its own block
// of everybody's, in rank order. Limits: one node, elements without gaps, one slot. Cost: a meeting + m * (copy +
// gamma) a rank. Source: Parsons, Pai 2015 (see area.hpp).
#include "collective/shared.hpp"

#include "collective/list.hpp"
#include "collective/reduce/input.hpp"

namespace starling::collective {

Task reduce_scatter_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const std::int64_t total = blocks.total(call.size());
  const std::int64_t bytes = total * type.size();
  const std::uint64_t k = area.next();
  co_await Writable(call, area, k, bytes);
  put(area.data(call.rank(), k, bytes), input(a), total, type);
  area.post(k, bytes);
  if (area.arrive(k)) area.release(k);
  co_await call.until([&] { return area.met(k); });
  if (agree(call, area, k, bytes)) {
    fold(call, {area, k, bytes}, blocks.displacement(call.rank()), blocks.count(call.rank()), type, a.receive_buffer);
  }
  area.finish(k);
}

namespace {

double shared_cost(const Shape& shape, const Machine& machine) {
  return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes) +
         static_cast<double>(shape.bytes) * machine.share(shape.ranks) * (machine.copy_byte_ns + machine.fold_byte_ns);
}

bool fits_slot(const Shape& shape) { return has_room(shape, shape.bytes); }

constexpr const char* kSharedCost = "meeting + m * (copy + gamma)";

}  // namespace

const Algorithm reduce_scatter_shared_algorithm = {
    Operation::kReduceScatter, "shared",     kArea | kDense, Order::kRanks,
    &reduce_scatter_shared,    &shared_cost, kSharedCost,    &fits_slot,
};
const Algorithm reduce_scatter_block_shared_algorithm = {
    Operation::kReduceScatterBlock, "shared",     kArea | kDense, Order::kRanks,
    &reduce_scatter_shared,         &shared_cost, kSharedCost,    &fits_slot,
};

}  // namespace starling::collective
