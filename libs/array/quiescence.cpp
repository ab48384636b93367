// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "quiescence.hpp"

#include <utility>

#include "core.hpp"

namespace starling::array::detail {

void Quiescence::begin(Search search) {
  search_ = search;
  is_wanted_ = true;
  found_ = false;
  has_previous_ = false;
  if (searching_) return;  // the wave that is under way counts as the first
  searching_ = true;
  next_wave();
}

void Quiescence::wish(Callback to) {
  wishes_.push_back(std::move(to));
  if (searching_) return;
  has_previous_ = false;
  searching_ = true;
  next_wave();
}

/// The first wave cannot be the one that counts, so it looks for nothing else.
void Quiescence::next_wave() { asked(has_previous_ ? search_ : Search::kUsual); }

void Quiescence::asked(Search search) {
  is_asked_ = true;
  wave_ = search;
  answers_ = 0;
  sums_ = {};
  RecordHeader ask;
  ask.kind = Kind::kQuietAsk;
  ask.flags = static_cast<std::uint8_t>(search);
  for (int i = 0; i < tree_.children(); ++i) core_.post(tree_.child(i), ask, nullptr);
}

void Quiescence::told(const Record& record) {
  const auto sums = info_of<Sums>(record);
  sums_.sent += sums.sent;
  sums_.handled += sums.handled;
  sums_.loose += sums.loose;
  ++answers_;
}

bool Quiescence::idle() {
  if (!is_asked_ || answers_ != tree_.children()) return false;
  is_asked_ = false;
  sums_.sent += core_.wire().sent();
  sums_.handled += core_.wire().handled();
  if (wave_ == Search::kLast && core_.has_loose_ends()) ++sums_.loose;
  if (tree_.is_root()) {
    conclude();
    return true;
  }
  RecordHeader tell;
  tell.kind = Kind::kQuietTell;
  tell.payload = sizeof sums_;
  std::memcpy(core_.post(tree_.parent(), tell, nullptr), &sums_, sizeof sums_);
  return true;
}

void Quiescence::conclude() {
  const bool is_quiet = has_previous_ && sums_.agrees(previous_) && sums_.sent == sums_.handled;
  if (is_quiet && !wishes_.empty()) return grant();
  if (is_quiet && (!is_wanted_ || wave_ == search_)) {
    searching_ = false;
    found_ = std::exchange(is_wanted_, false);
    loose_ = sums_.loose;
    return;
  }
  previous_ = sums_;
  has_previous_ = true;
  next_wave();
}

void Quiescence::grant() {
  has_previous_ = false;
  searching_ = is_wanted_;
  for (const Callback& each : std::exchange(wishes_, {})) core_.call_back(each, nullptr, 0);
  if (is_wanted_) next_wave();
}

}  // namespace starling::array::detail
