// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in lanes: a reduce_scatter on each node, an allreduce of each part between the ranks that have it, one on
// every node, and an allgather on each node. So every rank sends over the network, and combines, a part of the vector.
// Limits: as many ranks on each node; elements without gaps; an operator that does not commute only where the ranks of
// each node follow each other. Cost: the sum.
// Source: Traeff, "Decomposing Collectives for Exploiting Multi-lane Communication", CLUSTER 2020.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases allreduce_lane_phases(const Shape& shape) {
  const std::int64_t part = (shape.bytes + shape.node_ranks - 1) / shape.node_ranks;
  return {shape,
          {on_node(shape, Operation::kReduceScatter, shape.bytes), in_lanes(shape, Operation::kAllreduce, part),
           on_node(shape, Operation::kAllgatherv, shape.bytes)}};
}

}  // namespace

Task allreduce_lanes(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  const LevelGroup& node = Levels::of(call).node();
  const datatype::Datatype& type = *a.receive_type;
  const EqualParts parts{a.receive_count, node.comm->size()};
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> displs;
  for (std::int32_t rank = 0; rank < node.comm->size(); ++rank) {
    counts.push_back(parts.length(rank));
    displs.push_back(parts.begin(rank));
  }
  const std::int64_t mine = parts.length(node.comm->rank());
  // In place the contribution must stay whole until the reduce_scatter is done with it.
  Scratch apart(call, a.in_place ? mine : 0, type);
  if (!apart) co_return;
  void* const part_of_mine =
      a.in_place ? apart.data() : element(a.receive_buffer, parts.begin(node.comm->rank()), type);
  Arguments part = a;
  part.send_buffer = input(a);
  part.in_place = false;
  part.receive_buffer = part_of_mine;
  {
    part.operation = Operation::kReduceScatter;
    part.receive_counts = counts.data();
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  if (mine > 0) {
    part.operation = Operation::kAllreduce;
    part.in_place = true;
    part.receive_count = mine;
    LevelCall among = in_lane(call, part);
    co_await among.run();
  }
  part.operation = Operation::kAllgatherv;
  part.in_place = !a.in_place;
  part.send_buffer = part_of_mine;
  part.send_count = mine;
  part.send_type = &type;
  part.receive_buffer = a.receive_buffer;
  part.receive_displs = displs.data();
  LevelCall among = on_node(call, part);
  co_await among.run();
}

const Algorithm allreduce_lanes_algorithm = {
    Operation::kAllreduce,
    "lanes",
    kLevels | kNodeOrder | kEqualNodes | kDense,
    Order::kAny,
    &allreduce_lanes,
    [](const Shape& shape, const Machine& machine) {
      // The lanes end at different times, so a rank waits for its node once more than each phase says.
      return levels_cost<&allreduce_lane_phases>(shape, machine) + machine.wait(shape.ranks);
    },
    "reduce_scatter on the node + allreduce in lanes + allgatherv on the node + wait",
    nullptr,
    &allreduce_lane_phases,
};

}  // namespace starling::collective
