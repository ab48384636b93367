// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What was seen of one kind of call: how often it ran, what lateness cost, and who was late.
//
// Thread safety: a value type.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling::arrival {

/// Of one rank.
struct Lateness {
  std::uint64_t last = 0;  ///< how often it was the last
  double behind_s = 0;     ///< how far it was then behind the median, in all
};

/// Notes the last of these arrivals; returns what a rank lost on average, waiting for it.
double note_last(std::span<const double> entered_s, std::span<Lateness> ranks);

struct Sightings {
  std::uint64_t calls = 0;
  std::uint64_t scheduled_calls = 0;
  double time_s = 0;  ///< this rank's, in the calls
  double lost_s = 0;  ///< of a rank, on average: waiting for the last
  double saved_s = 0;
  std::vector<Lateness> ranks;

  /// When each rank came to a call.
  void note(std::span<const double> entered_s) { lost_s += note_last(entered_s, ranks); }
};

}  // namespace starling::arrival
