// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SegmentOffsets: where the parts of a job segment begin, computed from its geometry (job_segment.hpp shows their
// order). Thread safety: a value type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/job_header.hpp"

namespace starling::memory {

struct SegmentOffsets {
  /// Communicators that have a revocation flag.
  static constexpr std::uint32_t kRevocable = std::uint32_t{1} << 22;
  /// The longest segment: half of what a process can address on the usual machines; the rest is the program's.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

  explicit SegmentOffsets(const JobGeometry& geometry) noexcept;

  std::size_t incoming_words;  ///< of one rank's bitmap, in whole cache lines
  std::size_t liveness_words;  ///< of Liveness, and behind it of Losses
  std::uint64_t rank_blocks;
  std::uint64_t incoming;
  std::uint64_t liveness;
  std::uint64_t directory;
  std::uint64_t traffic;
  std::uint64_t packets;
  std::uint64_t event_rings;
  std::uint64_t connections;
  std::uint64_t sender_pools;
  std::uint64_t revoked;
  std::uint64_t arena;
  std::uint64_t end;
};

}  // namespace starling::memory
