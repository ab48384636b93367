// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barrier in levels: the ranks of each node tell their leader that they are there, the leaders meet, and each says so
// on its node. Limits: several nodes. Cost: a reduce and a broadcast of nothing on the node, and a barrier between
// nodes. Source: Karonis, de Supinski, Foster, Gropp, Lusk, "Exploiting Hierarchy in Parallel Computer Networks to
// Optimize Collective Operation Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"

namespace starling::collective {
namespace {

/// A reduce, or a broadcast, of no element.
Arguments no_element(const Call& call, Operation operation) {
  Arguments part;
  part.operation = operation;
  part.form = call.arguments().form;
  part.receive_type = &byte_type();
  part.op = operation == Operation::kReduce ? &datatype::predefined(datatype::PredefinedOp::kMax) : nullptr;
  return part;
}

LevelPhases barrier_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kReduce, 0), between_nodes(shape, Operation::kBarrier, 0),
           on_node(shape, Operation::kBcast, 0)}};
}

}  // namespace

Task barrier_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  if (levels.has_company()) {
    LevelCall part = on_node(call, no_element(call, Operation::kReduce));
    co_await part.run(&reduce_shared, &reduce_binomial);
  }
  if (levels.place().leads) {
    LevelCall part = between_leaders(call, a, 0);
    co_await part.run();
  }
  if (levels.has_company()) {
    LevelCall part = on_node(call, no_element(call, Operation::kBcast));
    co_await part.run(&bcast_shared, &bcast_binomial);
  }
}

const Algorithm barrier_levels_algorithm = {
    Operation::kBarrier,
    "levels",
    kLevels,
    Order::kRanks,
    &barrier_levels,
    &levels_cost<&barrier_phases>,
    "reduce of nothing on the node + barrier between nodes + bcast of nothing on the node",
    nullptr,
    &barrier_phases,
};

}  // namespace starling::collective
