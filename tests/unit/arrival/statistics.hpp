// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What bench/pap/schedule says of its samples: mean, standard deviation, and whether two means differ by chance.
//
// Thread safety: pure. Source: B. L. Welch, The generalization of "Student's" problem when several different population
// variances are involved, Biometrika 34 (1947).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace starling::arrival {

/// 0 of nothing.
inline double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Of the sample: with one less than its size as divisor. 0 of fewer than two.
inline double variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / static_cast<double>(values.size() - 1);
}

/// How likely it is that two samples of the same mean differ so much: Student's t with Welch's degrees of freedom, the
/// integral of its density taken numerically. Both must scatter, and have two values at least.
inline double welch_p(std::span<const double> a, std::span<const double> b) {
  const double share_a = variance(a) / static_cast<double>(a.size());
  const double share_b = variance(b) / static_cast<double>(b.size());
  const double t = std::abs(mean(a) - mean(b)) / std::sqrt(share_a + share_b);
  const double freedom =
      (share_a + share_b) * (share_a + share_b) /
      (share_a * share_a / static_cast<double>(a.size() - 1) + share_b * share_b / static_cast<double>(b.size() - 1));
  const double scale =
      std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) / std::sqrt(freedom * std::acos(-1.0));
  const auto density = [=](double x) { return scale * std::pow(1 + x * x / freedom, -(freedom + 1) / 2); };
  constexpr int kSteps = 20000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double u = (i + 0.5) / kSteps;
    // x = t * u is what lies before t; x = t / u, for u from 1 to 0, the tail, which is the better known where it is
    // small.
    sum += (t < 1 ? density(t * u) * t : density(t / u) * t / (u * u)) / kSteps;
  }
  return std::clamp(t < 1 ? 1 - 2 * sum : 2 * sum, 0.0, 1.0);
}

}  // namespace starling::arrival
