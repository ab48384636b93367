// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "quiescence.hpp"

#include "core.hpp"

namespace starling::array::detail {

void Quiescence::begin() {
  found_ = false;
  has_previous_ = false;
  if (searching_) return;  // the wave that is under way counts as the first
  searching_ = true;
  asked();
}

void Quiescence::asked() {
  is_asked_ = true;
  answers_ = 0;
  sums_ = {};
  RecordHeader ask;
  ask.kind = Kind::kQuietAsk;
  for (int i = 0; i < tree_.children(); ++i) core_.post(tree_.child(i), ask, nullptr);
}

void Quiescence::told(const Record& record) {
  const auto sums = info_of<Sums>(record);
  sums_.sent += sums.sent;
  sums_.handled += sums.handled;
  ++answers_;
}

bool Quiescence::idle() {
  if (!is_asked_ || answers_ != tree_.children()) return false;
  is_asked_ = false;
  sums_.sent += core_.wire().sent();
  sums_.handled += core_.wire().handled();
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
  if (has_previous_ && sums_ == previous_ && sums_.sent == sums_.handled) {
    searching_ = false;
    found_ = true;
    return;
  }
  previous_ = sums_;
  has_previous_ = true;
  asked();
}

}  // namespace starling::array::detail
