// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gate: lets each task's outcome through once, however often the task was calculated.
//
// Thread safety: one thread.
// Invariants: everything below base_ has passed; seen_[i] says whether base_ + i has.
#pragma once

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

 private:
  std::uint64_t base_ = 0;
  std::deque<bool> seen_;
};

}  // namespace starling::farm
