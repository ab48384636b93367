// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/schedule/pattern.hpp"

#include <cmath>
#include <string>

namespace starling::arrival {
namespace {

Status refuse(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

Status check_counts(const Pattern& pattern) {
  const std::size_t processes = pattern.arrivals.size();
  if (processes == 0) return refuse("the arrival pattern has no process; give one arrival time for each");
  if (processes > kMaxProcesses) {
    return refuse("the arrival pattern has " + std::to_string(processes) + " processes; a schedule holds at most " +
                  std::to_string(kMaxProcesses));
  }
  if (pattern.root < 0 || pattern.root >= pattern.processes()) {
    return Status::error(ErrorClass::kRoot, "the root is " + std::to_string(pattern.root) +
                                                ", and the processes are 0 to " + std::to_string(processes - 1));
  }
  if (pattern.segments < 1 || pattern.segments > kMaxSegments) {
    return Status::error(ErrorClass::kCount, "the vector is cut into " + std::to_string(pattern.segments) +
                                                 " segments; there must be 1 to " + std::to_string(kMaxSegments));
  }
  return {};
}

}  // namespace

Status check(const Pattern& pattern) {
  STARLING_TRY(check_counts(pattern));
  if (pattern.round_length < 1 || pattern.round_length > kMaxTicks) {
    return refuse("a round lasts " + std::to_string(pattern.round_length) + " ticks; it must last 1 to " +
                  std::to_string(kMaxTicks));
  }
  for (std::size_t process = 0; process < pattern.arrivals.size(); ++process) {
    const Ticks arrival = pattern.arrivals[process];
    if (arrival < 0 || arrival > kMaxTicks) {
      return refuse("process " + std::to_string(process) + " arrives at tick " + std::to_string(arrival) +
                    "; arrival times are 0 to " + std::to_string(kMaxTicks));
    }
  }
  return {};
}

Result<std::vector<Ticks>> ticks_from_seconds(std::span<const double> seconds, double tick_s) {
  if (!(tick_s > 0) || !std::isfinite(tick_s)) {
    return refuse("a tick lasts " + std::to_string(tick_s) + " s; it must be positive and finite");
  }
  std::vector<Ticks> ticks;
  ticks.reserve(seconds.size());
  for (std::size_t process = 0; process < seconds.size(); ++process) {
    const double ticks_exact = seconds[process] / tick_s;
    if (!(ticks_exact >= 0) || ticks_exact > static_cast<double>(kMaxTicks)) {
      return refuse("process " + std::to_string(process) + " is predicted at " + std::to_string(seconds[process]) +
                    " s; a prediction is finite, not negative, and at most " +
                    std::to_string(static_cast<double>(kMaxTicks) * tick_s) + " s");
    }
    ticks.push_back(static_cast<Ticks>(std::llround(ticks_exact)));
  }
  return ticks;
}

}  // namespace starling::arrival
