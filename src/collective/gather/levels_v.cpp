// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gatherv in levels: of every node but the root's the short blocks in one message, which the first rank of the node
// puts together; long blocks and those of the root's node straight. Limits: several nodes. Cost: a gather of lengths
// and a gatherv on the node, and a gatherv between nodes. Source: Karonis et al., "Exploiting Hierarchy in Parallel
// Computer Networks to Optimize Collective Operation Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/passed_on.hpp"

namespace starling::collective {
namespace {

LevelPhases gatherv_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kGather, sizeof(std::int64_t)), on_node(shape, Operation::kGatherv, 0),
           between_nodes(shape, Operation::kGatherv, 0)}};
}

Task gather_by_leaders(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks(a.receive_counts, a.receive_displs);
  const PassedOn passed(call, a.root);
  PassedBlocks by_leaders(call, passed, blocks, type);
  if (!by_leaders) co_return;
  Batch batch(call);
  for (std::int32_t from = 0; from < call.size(); ++from) {
    const std::int64_t bytes = blocks.count(from) * type.size();
    void* const place = element(a.receive_buffer, blocks.displacement(from), type);
    if (from == call.rank()) {
      if (!a.in_place) call.copy(a.send_buffer, a.send_count, *a.send_type, place, blocks.count(from), type);
    } else if (bytes > 0 && passed.bytes_of(from, bytes) == 0) {
      batch.add(call.receive(place, blocks.count(from), type, from));
    }
  }
  // Behind a leader's own block, if that goes straight.
  for (const PassedBlocks::OfNode& node : by_leaders.nodes()) {
    batch.add(call.receive(node.data, node.bytes, byte_type(), node.leader));
  }
  co_await batch;
  by_leaders.put_into(a.receive_buffer);
}

Task give_to_leader(Call& call, const Arguments& a) {
  const std::int64_t bytes = a.send_count * a.send_type->size();
  PassedOn passed(call, a.root);
  const bool is_passed_on = passed.bytes_of(call.rank(), bytes) > 0;
  PooledMemory of_node;
  Batch batch(call);
  if (bytes > 0 && !is_passed_on) batch.add(call.send(a.send_buffer, a.send_count, *a.send_type, a.root));
  if (passed.here()) {
    co_await PassedOn::tell(call, passed, a, bytes);
    if (passed.place().leads) {
      of_node = PooledMemory(call, passed.total());
      if (of_node.data() == nullptr) co_return;
    }
    Arguments part = a;
    part.root = passed.place().leader;
    if (!is_passed_on) part.send_count = 0;
    part.receive_buffer = of_node.data();
    part.receive_counts = passed.counts();
    part.receive_displs = passed.displs();
    part.receive_type = &byte_type();
    LevelCall among = on_node(call, part);
    co_await among.run();
    if (passed.total() > 0) batch.add(call.send(of_node.data(), passed.total(), byte_type(), a.root));
  }
  co_await batch;
}

}  // namespace

Task gatherv_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  if (call.rank() == a.root) {
    co_await gather_by_leaders(call, a);
  } else {
    co_await give_to_leader(call, a);
  }
}

const Algorithm gatherv_levels_algorithm = {
    Operation::kGatherv,
    "levels",
    kLevels,
    Order::kRanks,
    &gatherv_levels,
    &levels_cost<&gatherv_phases>,
    "gather of lengths and gatherv on the node + gatherv between nodes",
    nullptr,
    &gatherv_phases,
};

}  // namespace starling::collective
