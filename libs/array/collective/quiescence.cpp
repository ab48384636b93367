// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "quiescence.hpp"

#include <utility>

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

void Quiescence::request(Callback to) {
  requests_.push_back(std::move(to));
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
  ask.kind = RecordKind::kQuietAsk;
  ask.flags = static_cast<std::uint8_t>(search);
  for (int i = 0; i < tree_.children(); ++i) host_.records().post(tree_.child(i), ask, nullptr);
}

void Quiescence::told(const Record& record) {
  const auto sums = info_of<Sums>(record);
  sums_.sent += sums.sent;
  sums_.handled += sums.handled;
  sums_.pending += sums.pending;
  ++answers_;
}

bool Quiescence::idle() {
  if (!is_asked_ || answers_ != tree_.children()) return false;
  is_asked_ = false;
  sums_.sent += host_.records().wire().sent();
  sums_.handled += host_.records().wire().handled();
  if (wave_ == Search::kLast && has_pending_()) ++sums_.pending;
  if (tree_.is_root()) {
    conclude();
    return true;
  }
  RecordHeader tell;
  tell.kind = RecordKind::kQuietTell;
  tell.payload = sizeof sums_;
  std::memcpy(host_.records().post(tree_.parent(), tell, nullptr), &sums_, sizeof sums_);
  return true;
}

void Quiescence::conclude() {
  const bool is_quiet = has_previous_ && sums_.agrees(previous_) && sums_.sent == sums_.handled;
  if (is_quiet && !requests_.empty()) return grant();
  if (is_quiet && (!is_wanted_ || wave_ == search_)) {
    searching_ = false;
    found_ = std::exchange(is_wanted_, false);
    pending_ = sums_.pending;
    return;
  }
  previous_ = sums_;
  has_previous_ = true;
  next_wave();
}

void Quiescence::grant() {
  has_previous_ = false;
  searching_ = is_wanted_;
  for (const Callback& each : std::exchange(requests_, {})) host_.call_back(each, nullptr, 0);
  if (is_wanted_) next_wave();
}

}  // namespace starling::array::detail
