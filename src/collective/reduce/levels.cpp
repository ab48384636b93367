// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction in levels: on each node to one rank, which on the root's node is the root, and from those to the root.
// Limits: several nodes; an operator that does not commute only where the ranks of each node follow each other, for the
// contribution of a node is combined as a whole. Cost: a reduce on the node, and one between nodes.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases reduce_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kReduce, shape.bytes), between_nodes(shape, Operation::kReduce, shape.bytes)}};
}

}  // namespace

Task reduce_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const Levels::Place place = levels.place(a.root);
  const bool root = call.rank() == a.root;
  const bool passes_on = place.leads && !root && levels.has_company();
  Scratch of_node(call, passes_on ? a.receive_count : 0, *a.receive_type);
  if (!of_node) co_return;
  Arguments part = a;
  part.send_buffer = root ? a.send_buffer : input(a);
  part.in_place = root && a.in_place;
  if (levels.has_company()) {
    part.root = place.leader;
    if (passes_on) part.receive_buffer = of_node.data();
    LevelCall among = on_node(call, part);
    co_await among.run();
    part.in_place = root;
    part.send_buffer = root ? nullptr : of_node.data();
  }
  if (place.leads) {
    part.root = place.top_node;
    LevelCall among = between_leaders(call, part, a.root);
    co_await among.run();
  }
}

const Algorithm reduce_levels_algorithm = {
    Operation::kReduce,
    "levels",
    kLevels | kNodeOrder,
    Order::kAny,
    &reduce_levels,
    &levels_cost<&reduce_phases>,
    "reduce on the node + reduce between nodes",
    nullptr,
    &reduce_phases,
};

}  // namespace starling::collective
