// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in lanes: a reduce_scatter on each node, which leaves each rank the blocks of all ranks that have its
// place on their nodes, and another one between those. So every rank sends over the network, and combines, a part of
// the vector. Limits: as many ranks on each node; an operator that does not commute only where the ranks of each node
// follow each other. Cost: the sum, and a copy of the vector, for its blocks are sorted by place.
// Source: Traeff, "Decomposing Collectives for Exploiting Multi-lane Communication", CLUSTER 2020.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/reordered.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases reduce_scatter_lane_phases(const Shape& shape) {
  const std::int64_t part = (shape.bytes + shape.node_ranks - 1) / shape.node_ranks;
  return {shape,
          {on_node(shape, Operation::kReduceScatter, shape.bytes), in_lanes(shape, Operation::kReduceScatter, part)}};
}

/// All ranks place by place, and how many elements of the result each place has, and each rank of this one's.
struct Places {
  Places(const Levels& levels, const Blocks& blocks, const comm::Communicator& node)
      : counts(static_cast<std::size_t>(node.size())) {
    for (std::int32_t place = 0; place < node.size(); ++place) {
      for (std::int32_t i = 0; i < levels.nodes(); ++i) {
        const std::int32_t rank = levels.rank_at(i, place);
        order.push_back(rank);
        counts[static_cast<std::size_t>(place)] += blocks.count(rank);
        if (place == node.rank()) lane.push_back(blocks.count(rank));
      }
    }
    here = counts[static_cast<std::size_t>(node.rank())];
  }

  std::vector<std::int32_t> order;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> lane;
  std::int64_t here;
};

}  // namespace

Task reduce_scatter_lanes(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const Places places(levels, blocks, *levels.node().comm);
  const Reordered by_place(call, input(a), blocks, places.order, type);
  Scratch of_place(call, places.here, type);
  if (by_place.data() == nullptr || !of_place) co_return;
  Arguments part = a;
  part.operation = Operation::kReduceScatter;
  part.in_place = false;
  {
    part.send_buffer = by_place.data();
    part.receive_buffer = of_place.data();
    part.receive_counts = places.counts.data();
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  if (places.here == 0) co_return;
  part.send_buffer = of_place.data();
  part.receive_buffer = a.receive_buffer;
  part.receive_counts = places.lane.data();
  LevelCall among = in_lane(call, part);
  co_await among.run();
}

namespace {

double reduce_scatter_lanes_cost(const Shape& shape, const Machine& machine) {
  // The lanes end at different times, so a rank waits for its node once more than each phase says.
  return levels_cost<&reduce_scatter_lane_phases>(shape, machine) + machine.wait(shape.ranks) +
         static_cast<double>(shape.bytes) * machine.own_byte_ns * machine.share(shape.ranks);
}

constexpr Algorithm reduce_scatter_lanes_for(Operation operation) {
  return {operation,
          "lanes",
          kLevels | kNodeOrder | kEqualNodes,
          Order::kAny,
          &reduce_scatter_lanes,
          &reduce_scatter_lanes_cost,
          "reduce_scatter on the node + reduce_scatter in lanes + wait + m own",
          nullptr,
          &reduce_scatter_lane_phases};
}

}  // namespace

const Algorithm reduce_scatter_lanes_algorithm = reduce_scatter_lanes_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_lanes_algorithm = reduce_scatter_lanes_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
