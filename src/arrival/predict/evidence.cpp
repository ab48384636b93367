// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/predict/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starling::arrival {

double spread_s(std::span<const double> entered_s) {
  const auto [first, last] = std::minmax_element(entered_s.begin(), entered_s.end());
  return *last - *first;
}

double evidence(std::span<const Ticks> predicted, std::span<const double> entered_s, double tolerance_s) {
  if (predicted.empty()) return 0;
  const double tolerance = 1e9 * tolerance_s;
  const auto [soonest, latest] = std::minmax_element(predicted.begin(), predicted.end());
  if (static_cast<double>(*latest - *soonest) < tolerance) return 0;
  if (spread_s(entered_s) < tolerance_s) return kRefuted;
  const double last_s = *std::max_element(entered_s.begin(), entered_s.end());
  // Of several that came last, the one of which that was expected least.
  Ticks expected = *latest;
  for (std::size_t i = 0; i < entered_s.size(); ++i) {
    if (entered_s[i] >= last_s - tolerance_s) expected = std::min(expected, predicted[i]);
  }
  const auto as_late = std::count_if(predicted.begin(), predicted.end(), [&](Ticks time) {
    return static_cast<double>(time) > static_cast<double>(expected) - tolerance;
  });
  const double bits = std::log2(static_cast<double>(predicted.size()) / static_cast<double>(as_late));
  return bits < 1 ? kRefuted : bits;
}

}  // namespace starling::arrival
