// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The terms that the cost lines of the algorithms on a shared buffer have in common, and what fits into one.
// Thread safety: pure.
#pragma once

#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

/// Cost of one meeting of all ranks that carries nothing but flags.
inline double meeting_ns(const Shape& shape, const Machine& machine) noexcept {
  if (shape.ranks > machine.cores) return machine.share(shape.ranks) * (machine.turn_ns + machine.line_ns);
  return machine.line_ns + 20.0 * shape.ranks;
}

/// What it costs more to fetch data from a segment than to find them beside the flag.
inline double segment_ns(const Shape& shape, const Machine& machine, std::int64_t bytes) noexcept {
  const bool rides = bytes <= static_cast<std::int64_t>(Flag::kInline);
  return rides || shape.ranks > machine.cores ? 0 : machine.fetch(static_cast<double>(bytes));
}

/// Whether `bytes` for each rank find room inline or in a segment.
inline bool has_room(const Shape& shape, std::int64_t bytes) noexcept {
  return bytes <= static_cast<std::int64_t>(Flag::kInline) || (shape.has_segments && bytes <= shape.segment_bytes);
}

}  // namespace starling::collective
