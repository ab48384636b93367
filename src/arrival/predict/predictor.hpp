// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When a process will reach its next call: a moving average of how long it was away before, corrected by what the
// program says about its progress.
//
// Thread safety: none; one owner.
#pragma once

#include <algorithm>

namespace starling::arrival {

class Predictor {
 public:
  /// It was away for so long this time.
  void learn(double seconds) {
    const double weight = std::max(1.0 / (seen_ + 1), kLeastWeight);
    average_s_ += weight * (seconds - average_s_);
    ++seen_;
  }

  /// So many seconds after it left, it has done this share of what it does between two calls; what is no number says
  /// nothing.
  void progress(double seconds, double fraction) {
    fraction_ = fraction > 0 ? std::min(fraction, 1.0) : 0;
    said_after_s_ = std::max(0.0, seconds);
  }

  /// How long it will have been away. What it says about itself outweighs history the more it has done.
  [[nodiscard]] double predict() const {
    if (fraction_ <= 0) return average_s_;
    // The share that it has done counts for what it projects: fraction * (said after / fraction).
    if (seen_ != 0) return said_after_s_ + (1 - fraction_) * std::max(average_s_, said_after_s_);
    return std::min(said_after_s_ / fraction_, kLongest_s);
  }

  /// It has come; the next time away starts without progress.
  void restart() { fraction_ = 0; }
  [[nodiscard]] int seen() const noexcept { return seen_; }

 private:
  static constexpr double kLeastWeight = 0.25;  // so that about the last seven count
  static constexpr double kLongest_s = 1e6;

  double average_s_ = 0;
  double fraction_ = 0;
  double said_after_s_ = 0;
  int seen_ = 0;
};

}  // namespace starling::arrival
