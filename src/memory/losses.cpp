// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/losses.hpp"

namespace starling::memory {

Losses losses_of(const JobSegment& segment) noexcept {
  const JobGeometry& geometry = segment.header().geometry;
  const SegmentOffsets at(geometry);
  auto* const words =
      reinterpret_cast<std::atomic<std::uint64_t>*>(reinterpret_cast<std::byte*>(&segment.header()) + at.liveness);
  const std::size_t count = (geometry.world_ranks + Losses::kRanksPerWord - 1) / Losses::kRanksPerWord;
  return Losses({words + (at.liveness_words - count), count});
}

}  // namespace starling::memory
