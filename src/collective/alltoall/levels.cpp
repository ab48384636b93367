// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall in levels: on each node every rank gets from the others what is for its place on any node, and passes it on
// to the ranks that have this place. So one message goes from rank to rank where else there were as many as a node has
// ranks. Limits: as many ranks on each node; short blocks, which are copied three times on their way. Cost: an alltoall
// on the node, one in lanes, and the copies.
// Source: Traeff, "Decomposing Collectives for Exploiting Multi-lane Communication", CLUSTER 2020.
#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/levels/level_call.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

constexpr std::int64_t kLongestPassedOn = 16 * 1024;

LevelPhases alltoall_phases(const Shape& shape) {
  return {shape,
          {on_node(shape, Operation::kAlltoall, shape.bytes * shape.nodes),
           in_lanes(shape, Operation::kAlltoall, shape.bytes * shape.node_ranks)}};
}

/// The caller's blocks as bytes, those for one place on the nodes side by side.
void take_by_place(Call& call, const Arguments& a, const Levels& levels, std::byte* to, std::int64_t block) {
  const void* from = a.in_place ? a.receive_buffer : a.send_buffer;
  const std::int64_t count = a.in_place ? a.receive_count : a.send_count;
  const datatype::Datatype& type = a.in_place ? *a.receive_type : *a.send_type;
  for (std::int32_t place = 0; place < levels.ranks_on(0); ++place) {
    for (std::int32_t node = 0; node < levels.nodes(); ++node, to += block) {
      call.copy(element(from, levels.rank_at(node, place) * count, type), count, type, to, block, byte_type());
    }
  }
}

/// What came by place, so that what is for one node lies side by side.
void sort_by_node(Call& call, const Levels& levels, const std::byte* from, std::byte* to, std::int64_t block) {
  for (std::int32_t node = 0; node < levels.nodes(); ++node) {
    for (std::int32_t place = 0; place < levels.ranks_on(0); ++place, to += block) {
      call.copy(from + (place * levels.nodes() + node) * block, block, byte_type(), to, block, byte_type());
    }
  }
}

/// What came by node and place, to the caller.
void put_back(Call& call, const Arguments& a, const Levels& levels, const std::byte* from, std::int64_t block) {
  for (const std::int32_t rank : levels.by_node()) {
    void* to = element(a.receive_buffer, rank * a.receive_count, *a.receive_type);
    call.copy(from, block, byte_type(), to, a.receive_count, *a.receive_type);
    from += block;
  }
}

Arguments bytes_between(const Arguments& a, const std::byte* from, std::byte* to, std::int64_t bytes) {
  Arguments part = a;
  part.in_place = false;
  part.send_buffer = from;
  part.receive_buffer = to;
  part.send_count = part.receive_count = bytes;
  part.send_type = part.receive_type = &byte_type();
  return part;
}

}  // namespace

Task alltoall_levels(Call& call, const Arguments& a) {
  LevelTurn turn(call);
  co_await turn.enter();
  Levels& levels = Levels::of(call);
  const std::int64_t block = a.receive_count * a.receive_type->size();
  const PooledMemory first(call, block * call.size());
  const PooledMemory second(call, block * call.size());
  if (first.data() == nullptr || second.data() == nullptr) co_return;
  take_by_place(call, a, levels, first.data(), block);
  {
    LevelCall among = on_node(call, bytes_between(a, first.data(), second.data(), block * levels.nodes()));
    co_await among.run();
  }
  sort_by_node(call, levels, second.data(), first.data(), block);
  {
    LevelCall among = in_lane(call, bytes_between(a, first.data(), second.data(), block * levels.ranks_on(0)));
    co_await among.run();
  }
  put_back(call, a, levels, second.data(), block);
}

const Algorithm alltoall_levels_algorithm = {
    Operation::kAlltoall,
    "levels",
    kLevels | kEqualNodes,
    Order::kRanks,
    &alltoall_levels,
    [](const Shape& shape, const Machine& machine) {
      const double copied = 3.0 * static_cast<double>(shape.bytes) * shape.ranks;
      return levels_cost<&alltoall_phases>(shape, machine) + copied * machine.own_byte_ns;
    },
    "alltoall on the node + alltoall in lanes + 3 * p * b * own",
    [](const Shape& shape) { return shape.bytes <= kLongestPassedOn; },
    &alltoall_phases,
};

}  // namespace starling::collective
