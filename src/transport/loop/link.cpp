// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loop/link.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace starling::transport::loop {

std::int64_t Link::next_due_ns() {
  if (settings_.delay_us == 0) return 0;
  std::int64_t delay_ns = settings_.delay_us * 1000;
  if (settings_.delay == Delay::kRandom) delay_ns = std::uniform_int_distribution<std::int64_t>(0, delay_ns)(random_);
  return std::max(last_due_ns_, now_ns() + delay_ns);
}

std::int64_t Link::push(Frame frame) {
  frame.due_ns = last_due_ns_ = next_due_ns();
  bytes_ += frame.payload.size();
  frames_.push_back(std::move(frame));
  return last_due_ns_;
}

bool Link::pop(std::int64_t now_ns, Frame* frame) {
  if (due_ns() > now_ns) return false;
  *frame = std::move(frames_.front());
  frames_.pop_front();
  bytes_ -= frame->payload.size();
  return true;
}

void Link::drop_all() noexcept {
  frames_.clear();
  bytes_ = 0;
}

void Link::drop_late(std::int64_t now_ns) noexcept {
  while (!frames_.empty() && frames_.back().due_ns > now_ns) {
    bytes_ -= frames_.back().payload.size();
    frames_.pop_back();
  }
}

}  // namespace starling::transport::loop
