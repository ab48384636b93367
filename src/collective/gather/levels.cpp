// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather in levels: the blocks of each node to one rank, on the root's node to the root, and those of the other nodes
// from there to the root. Limits: several nodes, short blocks. Cost: a gather on the node, and one between nodes.
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
constexpr std::int64_t kLongestGathered = 16 * 1024;

LevelPhases gather_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kGather, shape.bytes),
           between_nodes(shape, Operation::kGather, shape.bytes * shape.node_ranks)}};
}

/// The root's own block, if it lies at its place, is sent from there.
Arguments own_block(const Call& call, const Arguments& a) {
  Arguments part = a;
  part.in_place = false;
  if (call.rank() == a.root && a.in_place) {
    part.send_buffer = element(static_cast<const void*>(a.receive_buffer), a.root * a.receive_count, *a.receive_type);
    part.send_count = a.receive_count;
    part.send_type = a.receive_type;
  }
  part.receive_type = &byte_type();
  return part;
}

}  // namespace

Task gather_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const Levels::Place place = levels.place(a.root);
  const bool root = call.rank() == a.root;
  Arguments part = own_block(call, a);
  const std::int64_t block = part.send_count * part.send_type->size();
  std::optional<NodeBlocks> all;
  if (root) all.emplace(call, a.receive_buffer, a.receive_count, *a.receive_type);
  PooledMemory of_node;
  if (!root && place.leads) of_node = PooledMemory(call, block * levels.ranks_on(levels.own_node()));
  std::byte* const here = root ? all->of_node(levels.own_node()) : of_node.data();
  if (root ? !*all : place.leads && here == nullptr) co_return;
  part.receive_buffer = here;
  part.receive_count = block;
  // Where the block lies already nothing is copied.
  part.in_place =
      root && a.in_place && all->data() == static_cast<std::byte*>(a.receive_buffer) + a.receive_type->true_lb();
  if (levels.has_company()) {
    part.root = place.leader;
    LevelCall among = on_node(call, part);
    co_await among.run();
  } else if (!part.in_place) {
    call.copy(part.send_buffer, part.send_count, *part.send_type, here, block, byte_type());
  }
  if (!place.leads) co_return;
  const NodeBlocks::Division division = root ? all->division() : NodeBlocks::Division();
  part.operation = levels.even() ? Operation::kGather : Operation::kGatherv;
  part.root = place.top_node;
  part.in_place = root;
  part.send_buffer = here;
  part.send_count = block * levels.ranks_on(levels.own_node());
  part.send_type = &byte_type();
  part.receive_buffer = root ? all->data() : nullptr;
  part.receive_count = part.send_count;
  part.receive_counts = division.counts.data();
  part.receive_displs = division.displs.data();
  {
    LevelCall among = between_leaders(call, part, a.root);
    co_await among.run();
  }
  if (root) all->put_back_all();
}

const Algorithm gather_levels_algorithm = {
    Operation::kGather,
    "levels",
    kLevels,
    Order::kRanks,
    &gather_levels,
    &levels_cost<&gather_phases>,
    "gather on the node + gather between nodes",
    [](const Shape& shape) { return shape.bytes <= kLongestGathered; },
    &gather_phases,
};

}  // namespace starling::collective
