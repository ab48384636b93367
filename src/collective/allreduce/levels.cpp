// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in levels: a reduce to the first rank of each node, an allreduce between those, and a broadcast on each
// node. Limits: several nodes; an operator that does not commute only where the ranks of each node follow each other.
// Cost: the sum. Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective
// Operation Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases allreduce_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kReduce, shape.bytes), between_nodes(shape, Operation::kAllreduce, shape.bytes),
           on_node(shape, Operation::kBcast, shape.bytes)}};
}

}  // namespace

Task allreduce_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const bool leads = levels.place().leads;
  Arguments part = a;
  part.root = 0;
  if (levels.has_company()) {
    part.operation = Operation::kReduce;
    part.send_buffer = leads ? a.send_buffer : input(a);
    part.in_place = leads && a.in_place;
    LevelCall among = on_node(call, part);
    co_await among.run();
    part.in_place = true;
  }
  if (leads) {
    part.operation = Operation::kAllreduce;
    LevelCall among = between_leaders(call, part, 0);
    co_await among.run();
  }
  if (levels.has_company()) {
    part.operation = Operation::kBcast;
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
}

const Algorithm allreduce_levels_algorithm = {
    Operation::kAllreduce,
    "levels",
    kLevels | kNodeOrder,
    Order::kAny,
    &allreduce_levels,
    &levels_cost<&allreduce_phases>,
    "reduce on the node + allreduce between nodes + bcast on the node",
    nullptr,
    &allreduce_phases,
};

}  // namespace starling::collective
