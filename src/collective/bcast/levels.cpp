// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast in levels: from the root to one rank of every other node, and on each node from that one. So the data enter
// each node once. Limits: several nodes. Cost: a broadcast between nodes, and one on the node.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"

namespace starling::collective {
namespace {

LevelPhases bcast_phases(const Shape& shape) {
  return {shape,
          {between_nodes(shape, Operation::kBcast, shape.bytes), on_node(shape, Operation::kBcast, shape.bytes)}};
}

}  // namespace

Task bcast_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const Levels::Place place = levels.place(a.root);
  Arguments part = a;
  if (place.leads) {
    part.root = place.top_node;
    LevelCall among = between_leaders(call, part, a.root);
    co_await among.run();
  }
  if (levels.has_company()) {
    part.root = place.leader;
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
}

const Algorithm bcast_levels_algorithm = {
    Operation::kBcast,
    "levels",
    kLevels,
    Order::kRanks,
    &bcast_levels,
    &levels_cost<&bcast_phases>,
    "bcast between nodes + bcast on the node",
    nullptr,
    &bcast_phases,
};

}  // namespace starling::collective
