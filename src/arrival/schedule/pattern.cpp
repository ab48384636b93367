// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/schedule/pattern.hpp"

#include <cmath>
#include <string>

#include "base/format.hpp"

namespace starling::arrival {
namespace {

Status refuse(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

Status check_counts(const Pattern& pattern) {
  const std::size_t processes = pattern.arrivals.size();
  if (processes == 0) return refuse("the arrival pattern has no process; give one arrival time for each");
  if (processes > kMaxProcesses) {
    return refuse(
        formatted("the arrival pattern has {} processes; a schedule holds at most {}", processes, kMaxProcesses));
  }
  if (pattern.root < 0 || pattern.root >= pattern.processes()) {
    return Status::error(ErrorClass::kRoot,
                         formatted("the root is {}, and the processes are 0 to {}", pattern.root, processes - 1));
  }
  if (pattern.segments < 1 || pattern.segments > kMaxSegments) {
    return Status::error(ErrorClass::kCount, formatted("the vector is cut into {} segments; there must be 1 to {}",
                                                       pattern.segments, kMaxSegments));
  }
  return {};
}

}  // namespace

Status check(const Pattern& pattern) {
  STARLING_TRY(check_counts(pattern));
  if (pattern.round_length < 1 || pattern.round_length > kMaxTicks) {
    return refuse(formatted("a round lasts {} ticks; it must last 1 to {}", pattern.round_length, kMaxTicks));
  }
  for (std::size_t process = 0; process < pattern.arrivals.size(); ++process) {
    const Ticks arrival = pattern.arrivals[process];
    if (arrival < 0 || arrival > kMaxTicks) {
      return refuse(formatted("process {} arrives at tick {}; arrival times are 0 to {}", process, arrival, kMaxTicks));
    }
  }
  return {};
}

Result<std::vector<Ticks>> ticks_from_seconds(std::span<const double> seconds, double tick_s) {
  if (!(tick_s > 0) || !std::isfinite(tick_s)) {
    return refuse(formatted("a tick lasts {} s; it must be positive and finite", tick_s));
  }
  std::vector<Ticks> ticks;
  ticks.reserve(seconds.size());
  for (std::size_t process = 0; process < seconds.size(); ++process) {
    const double ticks_exact = seconds[process] / tick_s;
    if (!(ticks_exact >= 0) || ticks_exact > static_cast<double>(kMaxTicks)) {
      return refuse(formatted("process {} is predicted at {} s; a prediction is finite, not negative, and at most {} s",
                              process, seconds[process], static_cast<double>(kMaxTicks) * tick_s));
    }
    ticks.push_back(static_cast<Ticks>(std::llround(ticks_exact)));
  }
  return ticks;
}

}  // namespace starling::arrival
