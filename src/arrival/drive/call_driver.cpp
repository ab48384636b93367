// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/drive/call_driver.hpp"

#include <algorithm>

#include "arrival/predict/evidence.hpp"

namespace starling::arrival {
namespace {

/// Whoever comes so many times later than a call takes is late, expected or not.
constexpr double kLate = 2;

/// From the last arrival on.
double exposed(const PastCall& call) {
  const double last_s = *std::max_element(call.entered_s.begin(), call.entered_s.end());
  if (call.end == End::kOfLast) return *std::max_element(call.left_s.begin(), call.left_s.end()) - last_s;
  double sum_s = 0;
  for (const double left_s : call.left_s) sum_s += std::max(0.0, left_s - last_s);
  return sum_s / static_cast<double>(call.left_s.size());
}

}  // namespace

Choice::Answer CallDriver::decide(std::span<const Ticks> arrivals, double vector_s, int longest_hold) {
  const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
  return choice_.choose(1e-9 * static_cast<double>(*last - *first), vector_s, longest_hold);
}

void CallDriver::learn(const PastCall& call, std::span<Lateness> lateness) {
  const auto [first_left, last_left] = std::minmax_element(call.left_s.begin(), call.left_s.end());
  const double exposed_s = exposed(call);
  const double spread = spread_s(call.entered_s);
  if (call.way == Choice::Way::kScheduled) saved_s_ += choice_.plain_s() - exposed_s;
  choice_.learn({call.way, exposed_s, evidence(call.predicted, call.entered_s, choice_.least_spread_s(call.vector_s))});
  if (spread > kLate * std::max(exposed_s, call.vector_s)) choice_.look_soon();
  ++imbalance_.calls;
  if (call.vector_s > 0) imbalance_.factors += spread / call.vector_s;
  if (call.vector_s > 0 && spread > call.vector_s) ++imbalance_.imbalanced;
  imbalance_.exits_s += *last_left - *first_left;
  lost_s_ += note_call(call.entered_s, call.left_s, lateness);
}

}  // namespace starling::arrival
