// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/shape.hpp"

#include "collective/node/shared_buffer_layout.hpp"

namespace starling::collective {

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
