// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a call looks to the selector.
// Thread safety: pure.
#pragma once

#include "collective/choose/algorithm.hpp"

namespace starling::collective {

class NodeMemory;

/// Whether elements of the reduction lie side by side, so that a stretch of them is a stretch of bytes, and one fits
/// into any segment of a shared buffer.
[[nodiscard]] bool dense(const datatype::Datatype& type) noexcept;

/// How far apart the ranks of a communicator may be: on one node as far as the cores are that the job may use there,
/// for the scheduler may move ranks.
[[nodiscard]] tuning::Distance distance_of(const comm::Communicator& comm) noexcept;

[[nodiscard]] Shape shape_of(const Arguments& arguments, const NodeMemory& memory, bool reproducible) noexcept;

/// A call as it looks on a communicator whose ranks are all on this node: for reports. In a neighbourhood collective
/// every rank has the neighbours of a grid of two dimensions.
[[nodiscard]] Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes) noexcept;
/// The same on so many nodes, dealt in blocks.
[[nodiscard]] Shape usual_shape(Operation operation, std::int32_t ranks, std::int64_t bytes,
                                std::int32_t nodes) noexcept;

/// Says how the ranks lie on several nodes.
void spread_out(Shape& shape, const NodeSpread& spread) noexcept;

}  // namespace starling::collective
