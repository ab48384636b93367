// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/looks.hpp"

#include <algorithm>

namespace starling::progress {

void Looks::begin_at(std::int64_t now_ns) noexcept {
  began_ns_ = now_ns;
  if (!timed_ || (timed_row_ == 0 && !waits_)) return;  // the row begins, or how long a look takes is not known yet
  const std::int64_t own_ns = now_ns - ended_ns_;
  if (own_ns <= kOwnWorkNs || own_ns <= look_ns_) return;
  if (own_ns > kComputesNs) return restart();
  slow_ns_ += own_ns;
}

bool Looks::end_at(std::int64_t now_ns, std::size_t places, const Manner& manner) noexcept {
  if (!timed_) {
    timed_ = true;
    timed_row_ = 0;
    places_ = 1;
    since_ns_ = now_ns;
    if (vain_since_ns_ == 0) vain_since_ns_ = now_ns;
    resume_at(now_ns);
    return false;
  }
  ended_ns_ = now_ns;
  ++timed_row_;
  // The shortest: one that lost its core in the midst is no measure.
  look_ns_ = timed_row_ == 1 && !waits_ ? now_ns - began_ns_ : std::min(look_ns_, now_ns - began_ns_);
  const std::int64_t kept = now_ns - kept_ns_;
  if (2 * slow_ns_ > kept) {
    waits_ = false;
    return kept >= kSlowPatienceNs;
  }
  if (!manner.oversubscribed) return now_ns - since_ns_ >= manner.patience_ns && timed_row_ % kLooksWithCore == 0;
  // A round may have begun in the middle: the second is whole.
  places_ = std::max(places_, static_cast<std::uint32_t>(std::min(places, kMostPlaces)));
  const std::uint32_t unknown = waits_ ? 0 : 2 * places_;
  if (timed_row_ <= unknown || (timed_row_ - unknown - 1) % manner.polls != 0) return false;
  gave_way_ = true;
  return true;
}

}  // namespace starling::progress
