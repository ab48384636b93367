// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/fast.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "arrival/methods/fast_round.hpp"
#include "arrival/methods/segment_tree.hpp"
#include "arrival/methods/small.hpp"
#include "arrival/methods/window.hpp"

namespace starling::arrival {
namespace {

class Fast {
 public:
  Fast(const Pattern& pattern, RoundSink& sink, const FastKernels& kernels)
      : pattern_(pattern), sink_(sink), kernels_(kernels), window_(pattern) {}

  void run() {
    time_ = window_.next_arrival();
    for (;;) {
      admit_arrivals();
      if (active_ == 1) {
        if (!window_.awaiting()) return;
        const std::int64_t rounds = std::max<Ticks>(1, (window_.next_arrival() - time_) / pattern_.round_length);
        time_ += rounds * pattern_.round_length;
        number_ += rounds;
        continue;
      }
      play_round();
      ++number_;
      next_head();
    }
  }

  [[nodiscard]] std::size_t peak_bytes() const { return window_.peak_bytes(); }

 private:
  /// All who arrive before the round is over take part; the head is the earliest, by rank among equals.
  void admit_arrivals() {
    if (!window_.awaiting()) return;
    if (head_ == kNone || window_.next_arrival() < time_) time_ = window_.next_arrival();
    if (window_.next_arrival() >= time_ + pattern_.round_length) return;
    const Ticks end = time_ + pattern_.round_length;
    head_ = window_.make_room(end, head_);
    if (window_.next_arrival() == time_) {
      const int place = window_.next_place();
      const bool first = head_ == kNone || window_.fraction(head_) != window_.fraction(place) || place < head_;
      if (first) head_ = place;
    }
    while (window_.awaiting() && window_.next_arrival() < end) {
      window_.admit();
      ++active_;
    }
  }

  void play_round() {
    FastRound round = window_.round();
    round.head = head_;
    round.active_count = active_;
    const int root = window_.root_place();
    round.sink = root != kNone && window_.is_active(root) ? root : head_;
    round.found = sink_.room(static_cast<std::size_t>(active_));
    const int found = kernels_.round(round);
    if (found > 0) sink_.take(number_, {round.found, static_cast<std::size_t>(found)});
    active_ = round.active_count;
  }

  /// The next round begins with the first that is still there.
  void next_head() {
    time_ += pattern_.round_length;
    const int next = window_.next_active(head_);
    if (next == head_) return;
    const Ticks ahead = window_.fraction(next) - window_.fraction(head_);
    time_ += ahead >= 0 ? ahead : ahead + pattern_.round_length;
    head_ = next;
  }

  static constexpr int kNone = -1;

  const Pattern& pattern_;
  RoundSink& sink_;
  const FastKernels& kernels_;
  Window window_;
  Ticks time_ = 0;
  int head_ = kNone;
  int active_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace

void run_fast(const Pattern& pattern, RoundSink& sink) {
  if (is_small(pattern)) return run_small(pattern, sink);
  if (pattern.segments > Window::kMostSegments) return run_segment_tree(pattern, sink);
  run_windowed(pattern, sink);
}

void run_windowed(const Pattern& pattern, RoundSink& sink, const FastKernels& kernels) {
  Fast(pattern, sink, kernels).run();
}

std::size_t fast_memory_bytes(const Pattern& pattern) {
  Nowhere nowhere;
  Fast fast(pattern, nowhere, *fast_kernels().back());
  fast.run();
  return fast.peak_bytes();
}

}  // namespace starling::arrival
