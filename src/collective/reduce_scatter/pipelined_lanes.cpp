// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in lanes, node by node: what goes to one node is combined on each node by its ranks, each of which
// sends its share of that to its like there, while the blocks of the next node are combined. Limits: as many ranks on
// each node; commutative operators. Cost: the greater of n reduce_scatters of m / n on the node and n - 1 messages of
// m / p in each lane, for n nodes; 1.5 times both where ranks share cores.
#include "collective/choose/list.hpp"
#include "collective/levels/lane_pipeline.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/reordered.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_scatter_pipelined_lanes(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  const Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const NodeShares shares(levels, [&](std::int32_t rank) { return blocks.count(rank); });
  const std::int64_t mine = blocks.count(call.rank());
  const Reordered by_node(call, input(a), blocks, levels.by_node(), type);
  // In place the result would lie on what is still to be combined.
  const Scratch aside(call, a.in_place ? mine : 0, type);
  if (by_node.data() == nullptr || !aside) co_return;
  void* const result = a.in_place ? aside.data() : a.receive_buffer;
  co_await reduce_to_shares(call, a, shares, by_node.data(), result);
  if (a.in_place) call.copy(result, a.receive_buffer, mine, type);
}

namespace {

LevelPhases reduce_scatter_node_parts(const Shape& shape) {
  const std::int64_t part = (shape.bytes + shape.nodes - 1) / shape.nodes;
  return {shape, {on_node(shape, Operation::kReduceScatter, part)}};
}

double reduce_scatter_pipelined_lanes_cost(const Shape& shape, const Machine& machine) {
  const double sorting = (shape.levels & kInNodeOrder) != 0
                             ? 0
                             : static_cast<double>(shape.bytes) * machine.own_byte_ns * machine.share(shape.ranks);
  return lane_pipeline_cost(shape, machine, reduce_scatter_node_parts(shape)) + sorting;
}

constexpr Algorithm reduce_scatter_pipelined_lanes_for(Operation operation) {
  return {operation,
          "pipelined_lanes",
          kLevels | kCommutative | kEqualNodes,
          Order::kAny,
          &reduce_scatter_pipelined_lanes,
          &reduce_scatter_pipelined_lanes_cost,
          "n reduce_scatters of m / n on the node beside n - 1 messages of m / p",
          nullptr,
          &reduce_scatter_node_parts};
}

}  // namespace

const Algorithm reduce_scatter_pipelined_lanes_algorithm =
    reduce_scatter_pipelined_lanes_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_pipelined_lanes_algorithm =
    reduce_scatter_pipelined_lanes_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
