// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gate: lets each task's outcome through once, however often the task was calculated.
//
// Thread safety: one thread.
// Invariants: everything below base_ has passed; seen_[i] says whether base_ + i has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace starling::farm {

class Gate {
 public:
  /// True the first time that it is asked for this number.
  bool admit(std::uint64_t number) {
    if (number < base_) return false;
    const std::uint64_t at = number - base_;
    if (at >= seen_.size()) seen_.resize(at + 1, false);
    if (seen_[at]) return false;
    seen_[at] = true;
    while (!seen_.empty() && seen_.front()) {
      seen_.pop_front();
      ++base_;
    }
    return true;
  }

  bool has_admitted(std::uint64_t number) const {
    return number < base_ || (number - base_ < seen_.size() && seen_[number - base_]);
  }

  /// How many of `first` and above have passed.
  std::uint64_t count_from(std::uint64_t first) const {
    const std::uint64_t below = base_ > first ? base_ - first : 0;
    const std::uint64_t skip = std::min<std::uint64_t>(first > base_ ? first - base_ : 0, seen_.size());
    return below +
           static_cast<std::uint64_t>(std::count(seen_.begin() + static_cast<std::ptrdiff_t>(skip), seen_.end(), true));
  }

 private:
  std::uint64_t base_ = 0;
  std::deque<bool> seen_;
};

}  // namespace starling::farm
