// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter in levels: from the root to one rank of every other node the blocks of that node, and on each node from that
// one. Limits: several nodes, short blocks. Cost: a scatter between nodes, and one on the node.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include <optional>

#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/node_blocks.hpp"

namespace starling::collective {
namespace {

/// Longer ones go straight: they would wait on their way until all blocks of a node are together.
constexpr std::int64_t kLongestScattered = 16 * 1024;

LevelPhases scatter_phases(const Shape& shape) {
  return {shape,
          {between_nodes(shape, Operation::kScatter, shape.bytes * shape.node_ranks),
           on_node(shape, Operation::kScatter, shape.bytes)}};
}

}  // namespace

Task scatter_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const Levels::Place place = levels.place(a.root);
  const bool root = call.rank() == a.root;
  const std::int64_t block = root ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();
  const std::int64_t node_bytes = block * levels.ranks_on(levels.own_node());
  std::optional<NodeBlocks> all;
  if (root) all.emplace(call, a.send_buffer, a.send_count, *a.send_type);
  PooledMemory of_node;
  if (!root && place.leads) of_node = PooledMemory(call, node_bytes);
  std::byte* const here = root ? all->of_node(levels.own_node()) : of_node.data();
  if (root ? !*all : place.leads && here == nullptr) co_return;
  if (root) all->take_all();
  if (place.leads) {
    const NodeBlocks::Division division = root ? all->division() : NodeBlocks::Division();
    Arguments part = a;
    part.operation = levels.even() ? Operation::kScatter : Operation::kScatterv;
    part.root = place.top_node;
    part.in_place = root;  // what is for this node lies there
    part.send_buffer = root ? all->data() : nullptr;
    part.send_count = part.receive_count = node_bytes;
    part.send_type = part.receive_type = &byte_type();
    part.send_counts = division.counts.data();
    part.send_displs = division.displs.data();
    part.receive_buffer = here;
    LevelCall among = between_leaders(call, part, a.root);
    co_await among.run();
  }
  if (levels.has_company()) {
    Arguments part = a;
    part.root = place.leader;
    part.send_buffer = here;
    part.send_count = block;
    part.send_type = &byte_type();
    LevelCall among = on_node(call, part);
    co_await among.run();
  } else if (!(root && a.in_place)) {
    call.copy(here, block, byte_type(), a.receive_buffer, a.receive_count, *a.receive_type);
  }
}

const Algorithm scatter_levels_algorithm = {
    Operation::kScatter,
    "levels",
    kLevels,
    Order::kRanks,
    &scatter_levels,
    &levels_cost<&scatter_phases>,
    "scatter between nodes + scatter on the node",
    [](const Shape& shape) { return shape.bytes <= kLongestScattered; },
    &scatter_phases,
};

}  // namespace starling::collective
