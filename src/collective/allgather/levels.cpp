// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather in levels: the blocks of each node to its leader, those of all nodes between the leaders, and all blocks to
// everybody on the node. Limits: several nodes. Cost: the sum.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/node_blocks.hpp"

namespace starling::collective {
namespace {

LevelPhases allgather_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kGather, shape.bytes),
           between_nodes(shape, Operation::kAllgather, shape.bytes * shape.node_ranks),
           on_node(shape, Operation::kBcast, shape.bytes * shape.ranks)}};
}

/// The blocks of this node to its leader.
Arguments to_leader(const Call& call, const Arguments& a, const NodeBlocks& blocks, const Levels& levels) {
  Arguments part = a;
  part.operation = Operation::kGather;
  part.root = 0;
  part.in_place = false;
  if (a.in_place) {
    part.send_buffer =
        element(static_cast<const void*>(a.receive_buffer), call.rank() * a.receive_count, *a.receive_type);
    part.send_count = a.receive_count;
    part.send_type = a.receive_type;
  }
  part.receive_buffer = blocks.of_node(levels.own_node());
  part.receive_count = blocks.block();
  part.receive_type = &byte_type();
  return part;
}

}  // namespace

Task allgather_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  NodeBlocks blocks(call, a.receive_buffer, a.receive_count, *a.receive_type);
  if (!blocks) co_return;
  Arguments part = to_leader(call, a, blocks, levels);
  const bool is_there =
      a.in_place && blocks.data() == static_cast<std::byte*>(a.receive_buffer) + a.receive_type->true_lb();
  if (levels.has_company()) {
    part.in_place = is_there && levels.place().leads;
    LevelCall among = on_node(call, part);
    co_await among.run();
  } else if (!is_there) {
    call.copy(part.send_buffer, part.send_count, *part.send_type, part.receive_buffer, blocks.block(), byte_type());
  }
  const NodeBlocks::Division division = blocks.division();
  part.in_place = true;
  part.receive_buffer = blocks.data();
  if (levels.place().leads) {
    part.operation = levels.even() ? Operation::kAllgather : Operation::kAllgatherv;
    part.receive_count = blocks.bytes_of_node(levels.own_node());
    part.receive_counts = division.counts.data();
    part.receive_displs = division.displs.data();
    LevelCall among = between_leaders(call, part, 0);
    co_await among.run();
  }
  if (levels.has_company()) {
    part.operation = Operation::kBcast;
    part.receive_count = blocks.block() * call.size();
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  blocks.put_back_all();
}

const Algorithm allgather_levels_algorithm = {
    Operation::kAllgather,
    "levels",
    kLevels,
    Order::kRanks,
    &allgather_levels,
    &levels_cost<&allgather_phases>,
    "gather on the node + allgather between nodes + bcast on the node",
    nullptr,
    &allgather_phases,
};

}  // namespace starling::collective
