// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OwnCalls: a process's own calls of one kind: when it came to the last and left it, and when it will come to the next.
//
// Thread safety: none; one owner. Invariants: enter() and leave() take turns; times are of one clock, in seconds.
#pragma once

#include "arrival/predict/predictor.hpp"

namespace starling::arrival {

class OwnCalls {
 public:
  /// It comes to a call.
  void enter(double now_s) {
    entered_s_ = now_s;
    if (!away_) return;
    predictor_.learn(now_s - left_s_);
    predictor_.restart();
    away_ = false;
  }
  /// What it did since enter() does not belong to the call.
  void enter_again(double now_s) { entered_s_ = now_s; }
  /// It leaves the call.
  void leave(double now_s) {
    left_s_ = now_s;
    time_s_ += now_s - entered_s_;
    away_ = true;
  }
  /// This share of what it does before the next call is done. False, and of no effect, while it is in a call or before
  /// it has left one.
  bool progress(double now_s, double fraction) {
    if (away_) predictor_.progress(now_s - left_s_, fraction);
    return away_;
  }
  /// No call follows: nothing that it says of its progress counts any more.
  void end() { away_ = false; }

  [[nodiscard]] double entered_s() const noexcept { return entered_s_; }
  [[nodiscard]] double left_s() const noexcept { return left_s_; }
  /// In all its calls.
  [[nodiscard]] double time_s() const noexcept { return time_s_; }
  /// How long it expects to be away between two calls, and when it comes next.
  [[nodiscard]] double away_s() const { return predictor_.predict(); }
  [[nodiscard]] double next_s() const { return left_s_ + away_s(); }

 private:
  Predictor predictor_;
  double entered_s_ = 0;
  double left_s_ = 0;
  double time_s_ = 0;
  bool away_ = false;  ///< it has left a call and not come to the next
};

}  // namespace starling::arrival
