// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A process arrival pattern and what a schedule is made from: when each process reaches a collective, who the root is,
// into how many segments the vector is cut, and how long one round takes.
//
// Times are integer ticks (nanoseconds, where they come from a clock): every machine computes the same schedule, and
// ties are exact.
// Thread safety: value types.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace starling::arrival {

using Ticks = std::int64_t;

/// No arrival and no round is longer: nine hours of nanoseconds. With the limits on processes and segments it keeps all
/// sums of a schedule within 64 bits.
inline constexpr Ticks kMaxTicks = Ticks{1} << 45;
inline constexpr int kMaxProcesses = 1 << 16;
inline constexpr int kMaxSegments = (1 << 16) - 1;

/// What the root may do with its own segments.
enum class RootRole {
  kTakesPart,  ///< as the paper has it: the root sends segments away and gets them back combined
  kOnlyTakes,  ///< it never sends: as many rounds, fewer transfers through the root
};

struct Pattern {
  std::span<const Ticks> arrivals;  ///< one for each process
  int root = 0;
  int segments = 1;
  Ticks round_length = 1;
  RootRole root_role = RootRole::kTakesPart;

  [[nodiscard]] int processes() const noexcept { return static_cast<int>(arrivals.size()); }
};

/// Says which part of a pattern cannot be scheduled, and why.
Status check(const Pattern& pattern);

/// Arrival times in seconds as whole ticks of `tick_s` seconds, the nearest. Negative, infinite and undefined times are
/// refused by name.
Result<std::vector<Ticks>> ticks_from_seconds(std::span<const double> seconds, double tick_s);

}  // namespace starling::arrival
