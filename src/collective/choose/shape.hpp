// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a call looks to the selector.
// Thread safety: pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/arguments/agreed_bytes.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/choose/algorithm.hpp"
#include "collective/node/node_memory.hpp"
#include "memory/usable_cores.hpp"

namespace starling::collective {

/// Whether elements of the reduction lie side by side, so that a stretch of them is a stretch of bytes, and one fits
/// into any segment of a shared buffer.
[[nodiscard]] inline bool dense(const datatype::Datatype& type) noexcept {
  return type.is_contiguous() && type.true_lb() == 0 && type.size() == type.extent() &&
         type.size() <= SharedBufferLayout::kSmallestSegmentBytes;
}

/// How far apart the ranks of a communicator may be: on one node as far as the cores are that the job may use there,
/// for the scheduler may move ranks.
[[nodiscard]] inline tuning::Distance distance_of(const comm::Communicator& comm) noexcept {
  if (comm.shared_domain() == nullptr) return tuning::Distance::kNetwork;
  const std::uint32_t spread = memory::spread_of(comm.shared_domain()->segment());
  return static_cast<tuning::Distance>(std::min<std::uint32_t>(spread, tuning::kDistances - 1));
}

/// Says how the ranks lie on several nodes.
void spread_out(Shape& shape, const NodeSpread& spread) noexcept;

/// Inline, for it is a part of the way of every call. bytes: agreed_bytes().
[[nodiscard, gnu::always_inline]] inline Shape shape_of(const Arguments& a, std::int64_t bytes,
                                                        const NodeMemory& memory, bool reproducible) noexcept {
  Shape shape;
  shape.operation = a.operation;
  shape.inter = a.comm->is_inter();
  shape.ranks = a.comm->size() + (shape.inter ? a.comm->addressed_size() : 0);
  if (among_neighbors(a.operation)) shape.neighbors = std::max(blocks_sent(a), blocks_received(a));
  shape.bytes = bytes;
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

/// A call as it looks on a communicator whose ranks are all on this node: for reports. In a neighbourhood collective
/// every rank has the neighbours of a grid of two dimensions.
[[nodiscard]] Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes) noexcept;
/// The same on so many nodes, dealt in blocks.
[[nodiscard]] Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes,
                                std::int32_t nodes) noexcept;

}  // namespace starling::collective
