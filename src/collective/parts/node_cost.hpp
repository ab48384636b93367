// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The terms that the cost lines of the algorithms on a shared buffer have in common, and what fits into one.
// Thread safety: pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/node/dealt_pieces.hpp"
#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

/// Cost of one meeting of all ranks that carries nothing but flags.
inline double meeting_ns(const Shape& shape, const Machine& machine) noexcept {
  if (shape.ranks > machine.cores) return machine.share(shape.ranks) * (machine.turn_ns + machine.line_ns);
  return machine.line_ns + 20.0 * shape.ranks;
}

/// Cost of waiting for a root that gives `bytes` to all or to each. One that stays waits for nobody but when it is as
/// many calls ahead as there are places for so many bytes.
inline double giving_ns(const Shape& shape, const Machine& machine, std::int64_t bytes) noexcept {
  const bool ahead = shape.root_stays && (bytes <= kRides || bytes <= shape.segment_bytes);
  if (!ahead || shape.ranks <= machine.cores) return meeting_ns(shape, machine);
  const std::uint64_t flags = SharedBufferLayout::depth_for(shape.ranks);
  const std::uint64_t depth = SharedBufferLayout::depth_for_data(bytes, flags, shape.segment_bytes);
  return machine.share(shape.ranks) * (machine.line_ns + machine.turn_ns / static_cast<double>(depth));
}

/// With more ranks than cores a root that stays and deals so many bytes or fewer, a block to each, does best to run
/// ahead in the shared buffer; with more, to send messages, which lie in memory that their receivers have just read.
inline constexpr std::int64_t kMostDealtAhead = 2048;

/// What it costs more to fetch data than to find them in the cache line of the flag: those beside it, in the lines that
/// follow, come half of the way with it.
inline double segment_ns(const Shape& shape, const Machine& machine, std::int64_t bytes) noexcept {
  if (bytes <= static_cast<std::int64_t>(Flag::kInFirstLine) || shape.ranks > machine.cores) return 0;
  const bool rides = bytes <= kRides;
  return machine.fetch(static_cast<double>(bytes)) * (rides ? 0.5 : 1);
}

/// How often a root and those who give it their blocks copy one, in a row.
inline double copies_to_root(const Shape& shape, const Machine& machine) noexcept {
  const double root = shape.ranks - 1;
  // Those who run ahead copy while the root does.
  if (shape.root_stays && shape.ranks > machine.cores) return std::max(root, 2 * root / machine.cores);
  return root + machine.share(shape.ranks);
}

/// Whether `bytes` for each rank find room inline or in a segment.
inline bool has_room(const Shape& shape, std::int64_t bytes) noexcept {
  return bytes <= kRides || (shape.has_segments && bytes <= shape.segment_bytes);
}

/// Whether pieces of blocks of any length find room.
inline bool has_room_for_pieces(const Shape& shape) noexcept {
  return shape.has_segments && shape.segment_bytes >= shape.ranks * kSmallestPieceBytes;
}

}  // namespace starling::collective
