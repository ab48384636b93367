// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan in levels: a scan on each node, whose last rank then has what the node comes to; an exscan of that
// between the last ranks; and what comes before a node to all its ranks, which put it before theirs.
// Limits: several nodes; the ranks of each node follow each other. Cost: the sum, and one more combination.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000 (levels); MPI-5.0, 6.11.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases phases_of_scan(const Shape& shape, Operation operation) {
  return {shape,
          {on_node(shape, operation, shape.bytes), between_nodes(shape, Operation::kExscan, shape.bytes),
           on_node(shape, Operation::kBcast, shape.bytes)}};
}
LevelPhases scan_phases(const Shape& shape) { return phases_of_scan(shape, Operation::kScan); }
LevelPhases exscan_phases(const Shape& shape) { return phases_of_scan(shape, Operation::kExscan); }

/// What all ranks of the nodes before come to. total: of this node, at its last rank. The first node gets nothing.
Task take_nodes_before(Call& call, const Arguments& a, const void* total, void* before) {
  Levels& levels = Levels::of(call);
  Arguments part = a;
  part.in_place = false;
  part.send_buffer = total;
  part.receive_buffer = before;
  if (levels.closes()) {
    part.operation = Operation::kExscan;
    LevelCall among = between_closers(call, part);
    co_await among.run();
  }
  if (levels.own_node() == 0 || !levels.has_company()) co_return;
  part.operation = Operation::kBcast;
  part.root = levels.node().comm->size() - 1;
  LevelCall among = on_node(call, part);
  co_await among.run();
}

}  // namespace

Task scan_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const bool first_node = levels.own_node() == 0;
  Scratch before(call, first_node ? 0 : count, type);
  if (!before) co_return;
  if (levels.has_company()) {
    LevelCall among = on_node(call, a);
    co_await among.run();
  } else if (!a.in_place) {
    call.copy(a.send_buffer, a.receive_buffer, count, type);
  }
  co_await take_nodes_before(call, a, a.receive_buffer, before.data());
  if (!first_node) call.reduce(before.data(), a.receive_buffer, count, type);
}

Task exscan_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const bool first_node = levels.own_node() == 0;
  const bool first_on_node = levels.node().comm->rank() == 0;
  Scratch before(call, first_node ? 0 : count, type);
  Scratch total(call, levels.closes() ? count : 0, type);
  if (!before || !total) co_return;
  if (levels.closes()) call.copy(input(a), total.data(), count, type);
  if (levels.has_company()) {
    {
      LevelCall among = on_node(call, a);
      co_await among.run();
    }
    if (levels.closes()) call.reduce(a.receive_buffer, total.data(), count, type);
  }
  co_await take_nodes_before(call, a, total.data(), before.data());
  if (first_node) co_return;
  if (first_on_node) {
    call.copy(before.data(), a.receive_buffer, count, type);
  } else {
    call.reduce(before.data(), a.receive_buffer, count, type);
  }
}

namespace {

template <LevelPhases (*kPhases)(const Shape&)>
double scan_levels_cost(const Shape& shape, const Machine& machine) {
  return levels_cost<kPhases>(shape, machine) +
         static_cast<double>(shape.bytes) * machine.reduce_byte_ns * machine.share(shape.ranks);
}

}  // namespace

const Algorithm scan_levels_algorithm = {
    Operation::kScan,
    "levels",
    kLevels | kNodesInRow,
    Order::kAny,
    &scan_levels,
    &scan_levels_cost<&scan_phases>,
    "scan on the node + exscan between nodes + bcast on the node + m gamma",
    nullptr,
    &scan_phases,
};
const Algorithm exscan_levels_algorithm = {
    Operation::kExscan,
    "levels",
    kLevels | kNodesInRow,
    Order::kAny,
    &exscan_levels,
    &scan_levels_cost<&exscan_phases>,
    "exscan on the node + exscan between nodes + bcast on the node + m gamma",
    nullptr,
    &exscan_phases,
};

}  // namespace starling::collective
