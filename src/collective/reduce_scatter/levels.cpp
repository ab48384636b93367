// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in levels: a reduce to the first rank of each node, a reduce_scatter between those, which leaves each
// the blocks of its node, and a scatter on each node. Limits: several nodes; an operator that does not commute only
// where the ranks of each node follow each other. Cost: the sum.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/reordered.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {
namespace {

LevelPhases reduce_scatter_phases(const Shape& shape) {
  return {
      shape,
      {on_node(shape, Operation::kReduce, shape.bytes), between_nodes(shape, Operation::kReduceScatter, shape.bytes),
       on_node(shape, Operation::kScatter, (shape.bytes + shape.ranks - 1) / shape.ranks)}};
}

/// How many elements of the result each node has, and where those of this node's ranks lie among them.
struct Shares {
  Shares(const Levels& levels, const Blocks& blocks) : nodes(static_cast<std::size_t>(levels.nodes())) {
    for (const std::int32_t rank : levels.by_node()) {
      std::int64_t& of_node = nodes[static_cast<std::size_t>(levels.node_of(rank))];
      if (levels.node_of(rank) == levels.own_node()) {
        counts.push_back(blocks.count(rank));
        displs.push_back(of_node);
      }
      of_node += blocks.count(rank);
    }
    here = nodes[static_cast<std::size_t>(levels.own_node())];
  }

  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> displs;
  std::int64_t here;
};

/// Between the first ranks: of what each node has come to, in rank order, to the blocks of this node.
Task divide_between_nodes(Call& call, const Arguments& a, const Shares& shares, const void* sum, void* blocks_of_node) {
  const Reordered by_node(call, sum, result_blocks(a), Levels::of(call).by_node(), *a.receive_type);
  if (by_node.data() == nullptr) co_return;
  Arguments part = a;
  part.operation = Operation::kReduceScatter;
  part.send_buffer = by_node.data();
  part.receive_buffer = blocks_of_node;
  part.receive_counts = shares.nodes.data();
  part.in_place = part.send_buffer == blocks_of_node;
  LevelCall among = between_leaders(call, part, 0);
  co_await among.run();
}

}  // namespace

Task reduce_scatter_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const bool leads = levels.place().leads;
  const Blocks blocks = result_blocks(a);
  const Shares shares(levels, blocks);
  if (!levels.has_company()) {
    co_await divide_between_nodes(call, a, shares, input(a), a.receive_buffer);
    co_return;
  }
  const std::int64_t total = blocks.total(call.size());
  Scratch sum(call, leads ? total : 0, *a.receive_type);
  Scratch here(call, leads ? shares.here : 0, *a.receive_type);
  if (!sum || !here) co_return;
  Arguments part = a;
  part.root = 0;
  part.in_place = false;
  part.send_buffer = input(a);
  {
    part.operation = Operation::kReduce;
    part.receive_buffer = sum.data();
    part.receive_count = total;
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  if (leads) co_await divide_between_nodes(call, a, shares, sum.data(), here.data());
  const bool uniform = a.operation == Operation::kReduceScatterBlock;
  part.operation = uniform ? Operation::kScatter : Operation::kScatterv;
  part.send_buffer = here.data();
  part.send_type = a.receive_type;
  part.send_count = a.receive_count;
  part.send_counts = shares.counts.data();
  part.send_displs = shares.displs.data();
  part.receive_buffer = a.receive_buffer;
  part.receive_count = blocks.count(call.rank());
  LevelCall among = on_node(call, part);
  co_await among.run();
}

namespace {

constexpr Algorithm reduce_scatter_levels_for(Operation operation) {
  return {operation,
          "levels",
          kLevels | kNodeOrder,
          Order::kAny,
          &reduce_scatter_levels,
          &levels_cost<&reduce_scatter_phases>,
          "reduce on the node + reduce_scatter between nodes + scatter on the node",
          nullptr,
          &reduce_scatter_phases};
}

}  // namespace

const Algorithm reduce_scatter_levels_algorithm = reduce_scatter_levels_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_levels_algorithm = reduce_scatter_levels_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
