// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatterv in levels: to the first rank of every node but the root's the short blocks of the node in one message, which
// it deals out; long blocks and those of the root's node straight.
// Limits: several nodes. Cost: a gather of lengths on the node, a scatterv between nodes, and one on the node.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/levels/passed_on.hpp"

namespace starling::collective {
namespace {

LevelPhases scatterv_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kGather, sizeof(std::int64_t)), between_nodes(shape, Operation::kScatterv, 0),
           on_node(shape, Operation::kScatterv, 0)}};
}

Task scatter_by_leaders(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.send_type;
  const Blocks blocks(a.send_counts, a.send_displs);
  const PassedOn passed(call, a.root);
  PassedBlocks by_leaders(call, passed, blocks, type);
  if (!by_leaders) co_return;
  by_leaders.take_from(a.send_buffer);
  Batch batch(call);
  for (std::int32_t to = 0; to < call.size(); ++to) {
    const std::int64_t bytes = blocks.count(to) * type.size();
    const void* const place = element(a.send_buffer, blocks.displacement(to), type);
    if (to == call.rank()) {
      if (!a.in_place) call.copy(place, blocks.count(to), type, a.receive_buffer, a.receive_count, *a.receive_type);
    } else if (bytes > 0 && passed.bytes_of(to, bytes) == 0) {
      batch.add(call.send(place, blocks.count(to), type, to));
    }
  }
  // Behind a leader's own block, if that goes straight.
  for (const PassedBlocks::OfNode& node : by_leaders.nodes()) {
    batch.add(call.send(node.data, node.bytes, byte_type(), node.leader));
  }
  co_await batch;
}

Task take_from_leader(Call& call, const Arguments& a) {
  const std::int64_t bytes = a.receive_count * a.receive_type->size();
  PassedOn passed(call, a.root);
  const bool is_passed_on = passed.bytes_of(call.rank(), bytes) > 0;
  Batch batch(call);
  if (bytes > 0 && !is_passed_on) {
    batch.add(call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root));
  }
  if (passed.here()) {
    co_await PassedOn::tell(call, passed, a, bytes);
    PooledMemory of_node;
    if (passed.place().leads) {
      of_node = PooledMemory(call, passed.total());
      if (of_node.data() == nullptr) co_return;
      if (passed.total() > 0) co_await call.receive(of_node.data(), passed.total(), byte_type(), a.root);
    }
    Arguments part = a;
    part.root = passed.place().leader;
    part.in_place = false;
    part.send_buffer = of_node.data();
    part.send_counts = passed.counts();
    part.send_displs = passed.displs();
    part.send_type = &byte_type();
    if (!is_passed_on) part.receive_count = 0;
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  co_await batch;
}

}  // namespace

Task scatterv_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  if (call.rank() == a.root) {
    co_await scatter_by_leaders(call, a);
  } else {
    co_await take_from_leader(call, a);
  }
}

const Algorithm scatterv_levels_algorithm = {
    Operation::kScatterv,
    "levels",
    kLevels,
    Order::kRanks,
    &scatterv_levels,
    &levels_cost<&scatterv_phases>,
    "gather of lengths on the node + scatterv between nodes and on the node",
    nullptr,
    &scatterv_phases,
};

}  // namespace starling::collective
