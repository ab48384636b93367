// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A pipeline along a chain of ranks: each passes a segment on while it takes the next ones.
// Source: Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", 2005 (pipeline model).
// Thread safety: pure.
#pragma once

#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

/// Segments that a rank is ready to receive while it works on one.
inline constexpr std::int32_t kSegmentsAhead = 4;

/// How long segments are: on one node 64 KiB; between nodes as long as costs least, for the shorter they are the sooner
/// the last rank has its first one, and the more of them there are. The same on every rank.
[[nodiscard]] std::int64_t chain_segment(std::int32_t ranks, std::int64_t bytes, tuning::Distance distance,
                                         const Machine& machine) noexcept;
[[nodiscard]] std::int64_t chain_segment(const Call& call, std::int64_t bytes) noexcept;

/// What the pipeline costs. folded_byte_ns: of each byte that a rank combines with its own.
[[nodiscard]] double chain_cost(const Shape& shape, const Machine& machine, double folded_byte_ns = 0) noexcept;

}  // namespace starling::collective
