// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the next call goes around late processes or runs plainly. All ranks feed it the same numbers, so all decide
// alike.
//
// A call's cost is its exposed time: from the last arrival to the last end. The plain algorithm is measured first, and
// again once in a while; the schedule is tried wherever the predicted spread makes it worth while, and given up for
// twice as many calls each time it turns out slower than plain before some calls in a row proved it. So what wrong
// predictions cost is bounded: one call in a growing number. The first call of either way is not judged: it makes
// connections and touches memory first.
//
// Predictions that must be exchanged cost something themselves, so an answer says for how many calls it holds: a pause
// until it is over, and balanced arrivals for 1, 2, 4 calls and so on, up to kLongestHold. Lateness that begins later
// is found within as many calls. Thread safety: none; one owner.
#pragma once

#include <algorithm>
#include <utility>

namespace starling::arrival {

class Choice {
 public:
  enum class Way { kPlain, kScheduled };
  struct Answer {
    Way way = Way::kPlain;
    int calls = 1;  ///< that may go this way before anybody looks at predictions again; the scheduled way is for one
  };
  static constexpr int kLongestHold = 64;

  /// For a predicted spread of the arrivals, and what a message as long as the vector takes. Where arrivals are
  /// balanced the answer is for `longest_hold` calls at most: 1 where ranks can tell of lateness that nobody has seen
  /// before.
  [[nodiscard]] Answer choose(double spread_s, double vector_s, int longest_hold = kLongestHold) {
    if (plain_calls_ < kLearningCalls) return {Way::kPlain, kLearningCalls - plain_calls_};
    if (pause_ > 0) return {Way::kPlain, std::min(pause_, kLongestHold)};
    if (spread_s < kLeastSpread * vector_s) {
      return {Way::kPlain, std::min(longest_hold, std::exchange(next_hold_, std::min(2 * next_hold_, kLongestHold)))};
    }
    next_hold_ = 1;
    return {in_a_row_ == kLookAgain ? Way::kPlain : Way::kScheduled, 1};
  }

  /// What a call turned out to cost.
  void learn(Way way, double exposed_s) {
    if (way == Way::kPlain) {
      plain_s_ = blend(plain_s_, exposed_s, std::max(0, plain_calls_ - 1));
      ++plain_calls_;
      in_a_row_ = 0;
      if (pause_ > 0) --pause_;
      return;
    }
    ++in_a_row_;
    if (!std::exchange(tried_, true)) return;
    scheduled_s_ = blend(scheduled_s_, exposed_s, scheduled_calls_++);
    if (scheduled_s_ <= plain_s_) {
      if (scheduled_calls_ >= kProven) next_pause_ = std::max(kFirstPause, next_pause_ / 2);
      return;
    }
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, kLongestPause);
    scheduled_calls_ = 0;  // the next try starts afresh
  }

  [[nodiscard]] double plain_s() const noexcept { return plain_s_; }

 private:
  static constexpr int kLearningCalls = 3;
  static constexpr int kLookAgain = 64;  // scheduled calls, before plain is measured again
  static constexpr int kFirstPause = 8;
  static constexpr int kLongestPause = 1024;
  static constexpr double kLeastSpread = 0.5;  // of a vector's transfer; below, arrivals are balanced
  static constexpr int kProven = 4;            // judged calls of a try; fewer may have been lucky
  static constexpr double kLeastWeight = 0.1;  // single calls differ much where ranks share cores

  static double blend(double average, double value, int seen) {
    return average + std::max(1.0 / (seen + 1), kLeastWeight) * (value - average);
  }

  double plain_s_ = 0;
  double scheduled_s_ = 0;
  int plain_calls_ = 0;
  int in_a_row_ = 0;  ///< scheduled calls
  bool tried_ = false;
  int scheduled_calls_ = 0;
  int pause_ = 0;
  int next_pause_ = kFirstPause;
  int next_hold_ = 1;
};

}  // namespace starling::arrival
