// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/core_share.hpp"

#include <algorithm>
#include <utility>

#include "base/own_switches.hpp"
#include "base/own_thread.hpp"

namespace starling::progress {
namespace {

/// A yield that came back sooner met nobody: it takes two switches, and a round of the other's, to meet somebody.
constexpr std::int64_t kSwitchNs = 1'000;
/// The most that one yield counts for in the mean, and how many yields the mean remembers.
constexpr std::int64_t kMostNs = 4'000'000;
constexpr std::int64_t kRemembered = 32;

/// Of so many yields in a row, without a longer pause, half have to have met somebody: the system's own work, or a
/// service that looks about once in some milliseconds, is nobody who waits.
constexpr std::uint32_t kRow = 16;
constexpr std::int64_t kPauseNs = 1'000'000;

}  // namespace

void CoreShare::note_yield(std::int64_t began_ns, std::int64_t ended_ns) noexcept {
  if (header_.geometry.ranks >= kCrowd * header_.usable_cores) return;
  const std::int64_t took = ended_ns - began_ns;
  mean_ns_ += (std::min(took, kMostNs) - mean_ns_) / kRemembered;
  if (mean_ns_ >= kLateNs) {
    mean_ns_ = kLateNs / 8 * 7;  // one more late yield is enough to ask again, some quick ones to end it
    if (others_compute(ended_ns)) take(began_ns, ended_ns);
    return;
  }
  // One that met a rank of a job that has more of them awake than cores tells of nobody else.
  if (took < kSwitchNs || took >= kLateNs || is_oversubscribed()) return;
  const bool is_known = shared_until_ns_ - ended_ns > kSharedForNs / 2;
  if (is_known) return;
  if (row_ == 0 || ended_ns - row_ends_ns_ > kPauseNs || row_of_ != own_thread()) {
    row_ = 0;
    row_of_ = own_thread();
    switches_before_ = own_switches();
  }
  row_ends_ns_ = ended_ns;
  if (++row_ < kRow) return;
  if (own_switches() - switches_before_ >= kRow / 2) shared_until_ns_ = ended_ns + kSharedForNs;
  row_ = 0;
}

void CoreShare::take(std::int64_t began_ns, std::int64_t ended_ns) noexcept {
  const std::int64_t took = ended_ns - began_ns;
  const bool goes_on = began_ns - taken_before_until_ns_ < hold_ * took;
  hold_ = goes_on ? std::min(2 * hold_, kLongestHold) : kFirstHold;
  taken_until_ns_ = ended_ns + hold_ * took;
  taken_before_until_ns_ = taken_until_ns_;
}

bool CoreShare::others_compute(std::int64_t now_ns) noexcept {
  const std::int64_t passed = now_ns - judged_ns_;
  if (passed < kLeastJudgedNs) return others_computed_;
  const std::int64_t cpu_ns = job_cpu_ns_();
  const std::int64_t had_ns = cpu_ns - std::exchange(judged_cpu_ns_, cpu_ns);
  judged_ns_ = now_ns;
  others_computed_ = passed <= kMostJudgedNs && header_.usable_cores * passed - had_ns >= passed / 2;
  return others_computed_;
}

}  // namespace starling::progress
