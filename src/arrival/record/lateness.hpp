// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How late ranks were for the calls of one kind, and the line that the late-rank table has for them.
//
// Thread safety: value types. Layout: Lateness and Imbalance lie in shared memory in
// collective/node/arrival_history.hpp. Source of the imbalance factor, there the worst case's, and of the patterns in
// which processes arrive and exit: A. Faraj, P. Patarasuk, X. Yuan, A study of process arrival patterns for MPI
// collective operations, Int. J. Parallel Program. 36 (2008).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling::arrival {

/// Of one rank.
struct Lateness {
  std::uint64_t last = 0;  ///< how often it was the last
  double behind_s = 0;     ///< how far it was then behind the median, in all
  double came_s = 0;       ///< how long after the first rank it came, in all calls: its part of the arrival pattern
  double left_s = 0;       ///< how long after the first rank it left, in all calls: its part of the exit pattern
};
static_assert(sizeof(Lateness) == 32);

/// Of the calls of one kind, in all.
struct Imbalance {
  std::uint64_t calls = 0;
  std::uint64_t imbalanced = 0;  ///< calls between whose first arrival and last a message as long as the vector fits
  double factors = 0;            ///< how many such messages fit, which is the imbalance factor
  double exits_s = 0;            ///< from the first end to the last
};
static_assert(sizeof(Imbalance) == 32);

/// Notes a call of which every rank says when it came and left: the patterns of both, and who was the last to come.
/// Returns what a rank lost on average, waiting for the last.
double note_call(std::span<const double> entered_s, std::span<const double> left_s, std::span<Lateness> ranks);

/// The calls of one kind, as one rank tells of them.
struct CallSummary {
  std::uint64_t calls = 0;
  std::uint64_t scheduled_calls = 0;
  double time_s = 0;   ///< this rank's, in the calls
  double lost_s = 0;   ///< of a rank, on average: waiting for the last
  double saved_s = 0;  ///< by going around the last
  Imbalance imbalance;
  std::vector<Lateness> ranks;
};

}  // namespace starling::arrival
