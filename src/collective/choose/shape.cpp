// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/shape.hpp"

#include <algorithm>

#include "collective/arguments/roles.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/run/communicator_state.hpp"

namespace starling::collective {

std::int64_t agreed_bytes(const Arguments& a) noexcept {
  if (looks_on(a)) return 0;
  const bool root = at_root(a);
  switch (a.operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan: return a.receive_count * a.receive_type->size();
    case Operation::kAllgather:
    case Operation::kAlltoall:
      // Between two groups what goes one way need not be what comes the other, but both know the sum.
      return a.receive_count * a.receive_type->size() + (a.comm->is_inter() ? a.send_count * a.send_type->size() : 0);
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAlltoall: return a.receive_count * a.receive_type->size();
    case Operation::kGather:
      return root ? a.receive_count * a.receive_type->size() : a.send_count * a.send_type->size();
    case Operation::kScatter:
      return root ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();
    case Operation::kAllgatherv:
      if (a.comm->is_inter()) return 0;
      [[fallthrough]];
    case Operation::kReduceScatter:
      return Blocks(a.receive_counts, Counts()).total(a.comm->size()) * a.receive_type->size();
    case Operation::kReduceScatterBlock: return a.receive_count * a.comm->size() * a.receive_type->size();
    default: return 0;
  }
}

bool dense(const datatype::Datatype& type) noexcept {
  return type.is_contiguous() && type.true_lb() == 0 && type.size() == type.extent() &&
         type.size() <= Area::kSmallestSlotBytes;
}

Shape shape_of(const Arguments& a, const State& state, bool reproducible) noexcept {
  Shape shape;
  shape.operation = a.operation;
  shape.inter = a.comm->is_inter();
  shape.ranks = a.comm->size() + (shape.inter ? a.comm->addressed_size() : 0);
  if (among_neighbors(a.operation)) shape.neighbors = std::max(blocks_sent(a), blocks_received(a));
  shape.bytes = agreed_bytes(a);
  if (a.op && a.receive_type) {
    shape.commutative = a.op->commutative();
    shape.dense = dense(*a.receive_type);
  }
  shape.area = state.area != nullptr;
  shape.slots = state.slots;
  shape.slot_bytes = state.area ? state.area->slot_bytes() : 0;
  shape.reproducible = reproducible;
  shape.foreseen = state.outlook.known;
  shape.late = state.outlook.late;
  return shape;
}

Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes) noexcept {
  constexpr std::int32_t kGridNeighbors = 4;
  Shape shape;
  shape.operation = operation;
  shape.ranks = ranks;
  shape.bytes = bytes;
  if (among_neighbors(operation)) shape.neighbors = kGridNeighbors;
  shape.area = shape.slots = ranks > 1;
  shape.slot_bytes = static_cast<std::int64_t>(Area::slot_bytes(ranks));
  return shape;
}

const char* meaning_of_bytes(Operation operation) noexcept {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan: return "of the vector";
    case Operation::kGather:
    case Operation::kScatter:
    case Operation::kAllgather:
    case Operation::kAlltoall:
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAlltoall: return "of each block";
    case Operation::kAllgatherv:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterBlock: return "of all blocks together";
    default: return "which the choice does not depend on";
  }
}

}  // namespace starling::collective
