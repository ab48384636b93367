// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgatherv in levels: as allgather/levels.cpp, with blocks of any length, which travel packed.
// Limits: several nodes. Cost: the sum.
// Source: Karonis et al., "Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation
// Performance", IPDPS 2000.
#include <vector>

#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"

namespace starling::collective {
namespace {

LevelPhases allgatherv_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kGather, (shape.bytes + shape.ranks - 1) / shape.ranks),
           between_nodes(shape, Operation::kAllgatherv, shape.bytes), on_node(shape, Operation::kBcast, shape.bytes)}};
}

/// Where blocks lie when they are packed node by node, in bytes.
struct PackedByNode {
  std::vector<std::int64_t> counts;  ///< of the ranks in this order, or of the nodes
  std::vector<std::int64_t> displs;

  void add(std::int64_t bytes) {
    displs.push_back(total());
    counts.push_back(bytes);
  }
  [[nodiscard]] std::int64_t total() const { return counts.empty() ? 0 : displs.back() + counts.back(); }
};

PackedByNode of_ranks(const Levels& levels, const Blocks& blocks, const datatype::Datatype& type, std::int32_t begin,
                      std::int32_t end) {
  PackedByNode packed;
  for (std::int32_t i = begin; i < end; ++i) {
    packed.add(blocks.count(levels.by_node()[static_cast<std::size_t>(i)]) * type.size());
  }
  return packed;
}

PackedByNode of_nodes(const Levels& levels, const Blocks& blocks, const datatype::Datatype& type) {
  PackedByNode packed;
  for (std::size_t node = 0; node + 1 < levels.begins().size(); ++node) {
    packed.add(of_ranks(levels, blocks, type, levels.begins()[node], levels.begins()[node + 1]).total());
  }
  return packed;
}

/// What this rank has.
Arguments own_packed(const Call& call, const Arguments& a, const Blocks& blocks) {
  Arguments part = a;
  part.in_place = false;
  part.root = 0;
  if (a.in_place) {
    part.send_buffer = element(a.receive_buffer, blocks.displacement(call.rank()), *a.receive_type);
    part.send_count = blocks.count(call.rank());
    part.send_type = a.receive_type;
  }
  part.receive_type = &byte_type();
  return part;
}

void unpack(Call& call, const Arguments& a, const Levels& levels, const Blocks& blocks, const std::byte* from) {
  for (const std::int32_t rank : levels.by_node()) {
    const std::int64_t bytes = blocks.count(rank) * a.receive_type->size();
    call.copy(from, bytes, byte_type(), element(a.receive_buffer, blocks.displacement(rank), *a.receive_type),
              blocks.count(rank), *a.receive_type);
    from += bytes;
  }
}

}  // namespace

Task allgatherv_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const Blocks blocks = gathered_blocks(a);
  const auto node = static_cast<std::size_t>(levels.own_node());
  const PackedByNode here = of_ranks(levels, blocks, *a.receive_type, levels.begins()[node], levels.begins()[node + 1]);
  const PackedByNode nodes = of_nodes(levels, blocks, *a.receive_type);
  const PooledMemory all(call, nodes.total());
  if (all.data() == nullptr) co_return;
  std::byte* const ours = all.data() + nodes.displs[node];
  Arguments part = own_packed(call, a, blocks);
  part.receive_buffer = ours;
  if (levels.has_company()) {
    part.operation = Operation::kGatherv;
    part.receive_counts = here.counts.data();
    part.receive_displs = here.displs.data();
    LevelCall among = on_node(call, part);
    co_await among.run();
  } else {
    call.copy(part.send_buffer, part.send_count, *part.send_type, ours, here.total(), byte_type());
  }
  part.in_place = true;
  part.receive_buffer = all.data();
  if (levels.place().leads) {
    part.operation = Operation::kAllgatherv;
    part.receive_counts = nodes.counts.data();
    part.receive_displs = nodes.displs.data();
    LevelCall among = between_leaders(call, part, 0);
    co_await among.run();
  }
  if (levels.has_company()) {
    part.operation = Operation::kBcast;
    part.receive_count = nodes.total();
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  unpack(call, a, levels, blocks, all.data());
}

const Algorithm allgatherv_levels_algorithm = {
    Operation::kAllgatherv,
    "levels",
    kLevels,
    Order::kRanks,
    &allgatherv_levels,
    &levels_cost<&allgatherv_phases>,
    "gather on the node + allgatherv between nodes + bcast on the node",
    nullptr,
    &allgatherv_phases,
};

}  // namespace starling::collective
