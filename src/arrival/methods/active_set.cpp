// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/active_set.hpp"

#include <algorithm>
#include <numeric>

namespace starling::arrival {

ActiveSet::ActiveSet(const Pattern& pattern)
    : round_length_(pattern.round_length),
      available_(pattern.arrivals.begin(), pattern.arrivals.end()),
      complete_(pattern.arrivals.size(), 0),
      awaiting_(pattern.arrivals.size()) {
  std::iota(awaiting_.begin(), awaiting_.end(), 0);
  std::stable_sort(awaiting_.begin(), awaiting_.end(),
                   [this](int a, int b) { return availability(a) < availability(b); });
}

bool ActiveSet::before(int a, int b) const {
  return availability(a) != availability(b) ? availability(a) < availability(b) : a < b;
}

void ActiveSet::advance(Ticks time) {
  for (const int process : members_) available_[static_cast<std::size_t>(process)] += time;
}

void ActiveSet::merge() {
  std::erase_if(members_, [this](int process) { return complete_[static_cast<std::size_t>(process)] != 0; });
  newcomers_.clear();
  scratch_.clear();
  std::size_t old = 0;
  Ticks end = 0;
  for (;;) {
    const bool has_old = old < members_.size();
    const bool has_new = next_awaiting_ < awaiting_.size();
    if (!has_old && !has_new) break;
    const bool take_old = has_old && (!has_new || before(members_[old], awaiting_[next_awaiting_]));
    const int process = take_old ? members_[old] : awaiting_[next_awaiting_];
    if (scratch_.empty()) end = availability(process) + round_length_;
    if (availability(process) >= end) break;
    scratch_.push_back(process);
    if (!take_old) newcomers_.push_back(process);
    take_old ? ++old : ++next_awaiting_;
  }
  members_.swap(scratch_);
}

bool ActiveSet::next() {
  if (number_ >= 0) advance(round_length_);
  ++number_;
  std::vector<int> lonely;  // came while nobody else was there: new to whoever meets them later
  for (;;) {
    merge();
    if (members_.size() > 1) break;
    if (next_awaiting_ == awaiting_.size()) return false;
    if (!newcomers_.empty()) lonely = newcomers_;
    const Ticks gap = availability(awaiting_[next_awaiting_]) - availability(members_.front());
    const std::int64_t rounds = std::max<Ticks>(1, gap / round_length_);
    advance(rounds * round_length_);
    number_ += rounds;
  }
  newcomers_.insert(newcomers_.end(), lonely.begin(), lonely.end());
  return true;
}

}  // namespace starling::arrival
