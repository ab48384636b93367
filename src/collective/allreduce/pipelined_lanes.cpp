// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in lanes, a node's part of the vector after the other: each is combined on every node, and its shares in
// the lanes, while the next is combined on the nodes; then the shares go to all nodes, each of which puts one part
// together while the next arrives. Limits: as many ranks on each node; elements without gaps; commutative operators.
// Cost: for each half the greater of the nodes' work on n parts of m / n and n - 1 messages of m / p in each lane, for
// n nodes; 1.5 times both where ranks share cores.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/levels/lane_pipeline.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task allreduce_pipelined_lanes(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const EqualParts by_rank{a.receive_count, call.size()};
  std::int64_t place = 0;
  const NodeShares shares(levels, [&](std::int32_t) { return by_rank.length(place++); });
  const auto own = static_cast<std::size_t>(levels.begins()[static_cast<std::size_t>(levels.own_node())] +
                                            levels.node().comm->rank());
  // In place the contribution must stay whole until the nodes are done with it.
  const Scratch aside(call, a.in_place ? shares.lengths[own] : 0, type);
  if (!aside) co_return;
  void* const mine = element(a.receive_buffer, shares.begins[own], type);
  void* const result = a.in_place ? aside.data() : mine;
  co_await reduce_to_shares(call, a, shares, input(a), result);
  if (a.in_place) call.copy(result, mine, shares.lengths[own], type);
  co_await gather_shares(call, a, shares, a.receive_buffer);
}

namespace {

LevelPhases allreduce_node_parts(const Shape& shape) {
  const std::int64_t part = (shape.bytes + shape.nodes - 1) / shape.nodes;
  return {shape, {on_node(shape, Operation::kReduceScatter, part), on_node(shape, Operation::kAllgatherv, part)}};
}

}  // namespace

const Algorithm allreduce_pipelined_lanes_algorithm = {
    Operation::kAllreduce,
    "pipelined_lanes",
    kLevels | kCommutative | kEqualNodes | kDense,
    Order::kAny,
    &allreduce_pipelined_lanes,
    [](const Shape& shape, const Machine& machine) {
      return lane_pipeline_cost(shape, machine, allreduce_node_parts(shape));
    },
    "n reduce_scatters and n allgathers of m / n on the node, each beside n - 1 messages of m / p",
    nullptr,
    &allreduce_node_parts,
};

}  // namespace starling::collective
