// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/shape.hpp"

#include <algorithm>

#include "collective/arguments/agreed_bytes.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/node/node_memory.hpp"
#include "memory/usable_cores.hpp"

namespace starling::collective {

bool dense(const datatype::Datatype& type) noexcept {
  return type.is_contiguous() && type.true_lb() == 0 && type.size() == type.extent() &&
         type.size() <= SharedBufferLayout::kSmallestSegmentBytes;
}

tuning::Distance distance_of(const comm::Communicator& comm) noexcept {
  if (comm.shared_domain() == nullptr) return tuning::Distance::kNetwork;
  const std::uint32_t spread = memory::spread_of(comm.shared_domain()->segment());
  return static_cast<tuning::Distance>(std::min<std::uint32_t>(spread, tuning::kDistances - 1));
}

Shape shape_of(const Arguments& a, const NodeMemory& memory, bool reproducible) noexcept {
  Shape shape;
  shape.operation = a.operation;
  shape.inter = a.comm->is_inter();
  shape.ranks = a.comm->size() + (shape.inter ? a.comm->addressed_size() : 0);
  if (among_neighbors(a.operation)) shape.neighbors = std::max(blocks_sent(a), blocks_received(a));
  shape.bytes = agreed_bytes(a);
  if (a.comm->shared_domain() == nullptr) [[unlikely]] {
    shape.distance = tuning::Distance::kNetwork;
    spread_out(shape, memory.spread());
  } else {
    shape.distance = distance_of(*a.comm);
  }
  if (a.op && a.receive_type) {
    shape.commutative = a.op->commutative();
    shape.dense = dense(*a.receive_type);
  }
  shape.has_buffer = memory.buffer() != nullptr;
  shape.has_segments = memory.has_segments();
  shape.segment_bytes = memory.buffer() != nullptr ? memory.buffer()->segment_bytes() : 0;
  shape.reproducible = reproducible;
  shape.predicted = a.prediction != nullptr;
  shape.late = a.prediction != nullptr && a.prediction->late;
  return shape;
}

void spread_out(Shape& shape, const NodeSpread& spread) noexcept {
  shape.nodes = spread.nodes;
  shape.node_ranks = spread.node_ranks;
  shape.levels = spread.levels;
}

Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes) noexcept {
  constexpr std::int32_t kGridNeighbors = 4;
  Shape shape;
  shape.operation = operation;
  shape.ranks = ranks;
  shape.bytes = bytes;
  if (among_neighbors(operation)) shape.neighbors = kGridNeighbors;
  shape.has_buffer = shape.has_segments = ranks > 1;
  shape.segment_bytes = static_cast<std::int64_t>(SharedBufferLayout::segment_bytes(ranks));
  return shape;
}

Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes, std::int32_t nodes) noexcept {
  Shape shape = usual_shape(operation, ranks, bytes);
  if (nodes <= 1) return shape;
  shape.has_buffer = shape.has_segments = false;
  shape.segment_bytes = 0;
  shape.distance = tuning::Distance::kNetwork;
  NodeSpread spread{nodes, (ranks + nodes - 1) / nodes, kInNodeOrder};
  if (ranks % nodes == 0) spread.levels |= kEvenNodes;
  if (ranks > nodes) spread.levels |= kTwoLevels;
  spread_out(shape, spread);
  return shape;
}

}  // namespace starling::collective
