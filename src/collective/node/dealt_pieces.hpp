// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a rank deals blocks of one length, one for each other rank, out of its segment: side by side, and piece by piece
// where they do not fit. Thread safety: pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

inline constexpr std::int64_t kSmallestPieceBytes = 64;

/// Which part of each of the blocks one step moves.
inline std::int64_t piece_bytes(std::int64_t block, std::int64_t segment_bytes, std::int32_t blocks) noexcept {
  const bool at_once = block * blocks <= std::max(segment_bytes, kRides);
  return at_once ? block : segment_bytes / blocks / kSmallestPieceBytes * kSmallestPieceBytes;
}

/// Where the block for a rank is among those that the owner leaves for all but itself.
inline std::int32_t place_among_others(std::int32_t rank, std::int32_t owner) noexcept {
  return rank < owner ? rank : rank - 1;
}

}  // namespace starling::collective
