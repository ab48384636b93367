// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis: what keeps a job from going on.
//
// A deadlock is proven, never guessed: a deadlock stays, so each rank in it must have been quiet between two looks at
// all ranks; then no message is under way among them. Where a part of that cannot be seen (windows, files, threads,
// other jobs and hosts), the verdict is kProbableDeadlock.
//
// Thread safety: pure functions. Source: a deadlock is a stable property: Chandy and Lamport, "Distributed snapshots",
// 1985.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/model/snapshot.hpp"

namespace starling::observe {

enum class Verdict : std::uint8_t {
  kRuns,              ///< nobody is in a long wait
  kWaits,             ///< ranks wait for others that run, and may come
  kMismatch,          ///< ranks wait in a collective that others have called otherwise
  kGone,              ///< ranks wait for others that have ended
  kProbableDeadlock,  ///< ranks wait for each other, as far as can be seen
  kDeadlock,          ///< ranks wait for each other, and nothing can end that
};

struct Diagnosis {
  Verdict verdict = Verdict::kRuns;
  std::string sentence;                ///< without a full stop
  std::vector<std::int32_t> culprits;  ///< those to look at first, in order
  /// Of kMismatch, kGone and kProbableDeadlock: sets of ranks that are stuck by each other. Each such state is as old
  /// as the last of its ranks has made it: the members of a circle; of a mismatch, of each group the one that has
  /// waited longest; ranks that have ended, with the one that has waited for them longest.
  std::vector<std::vector<std::int32_t>> stuck = {};
};

[[nodiscard]] Diagnosis diagnose(const Snapshot& snapshot);

/// "running", "waits", "deadlock", ...: a word or two for a table.
[[nodiscard]] const char* verdict_words(Verdict verdict) noexcept;

}  // namespace starling::observe
