// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/drive/call_driver.hpp"

#include <algorithm>

#include "arrival/predict/evidence.hpp"

namespace starling::arrival {

Choice::Answer CallDriver::decide(std::span<const Ticks> arrivals, double vector_s, int longest_hold) {
  const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
  return choice_.choose(1e-9 * static_cast<double>(*last - *first), vector_s, longest_hold);
}

void CallDriver::learn(const PastCall& call, std::span<Lateness> lateness) {
  const double exposed_s = call.end_s - *std::max_element(call.entered_s.begin(), call.entered_s.end());
  if (call.way == Choice::Way::kScheduled) saved_s_ += choice_.plain_s() - exposed_s;
  choice_.learn({call.way, exposed_s, evidence(call.predicted, call.entered_s, Choice::kLeastSpread * call.vector_s)});
  lost_s_ += note_last(call.entered_s, lateness);
}

}  // namespace starling::arrival
