// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/log/log_clock.hpp"

#include <algorithm>
#include <cmath>

namespace starling::trace {
namespace {

/// The most precise of the first third of the measurements, and of the last third.
std::vector<observe::ClockOffset> ends_of(const std::vector<observe::ClockOffset>& offsets) {
  if (offsets.size() < 2) return offsets;
  const auto third = static_cast<std::ptrdiff_t>((offsets.size() + 2) / 3);
  const auto less = [](const observe::ClockOffset& one, const observe::ClockOffset& other) {
    return one.error_ns < other.error_ns;
  };
  return {*std::min_element(offsets.begin(), offsets.begin() + third, less),
          *std::min_element(offsets.end() - third, offsets.end(), less)};
}

/// By how much the host's clock is ahead of the launcher's at this moment of its own.
double ahead_at(const std::vector<observe::ClockOffset>& offsets, std::int64_t local_ns) {
  if (offsets.empty()) return 0;
  const observe::ClockOffset& first = offsets.front();
  const observe::ClockOffset& last = offsets.back();
  if (last.at_ns <= first.at_ns) return static_cast<double>(first.ahead_ns);
  const double drift =
      static_cast<double>(last.ahead_ns - first.ahead_ns) / static_cast<double>(last.at_ns - first.at_ns);
  // local = at + ahead, and ahead = first + drift * (at - first.at)
  const double passed = static_cast<double>(local_ns - first.ahead_ns - first.at_ns) / (1 + drift);
  return static_cast<double>(first.ahead_ns) + drift * passed;
}

}  // namespace

LogClock::LogClock(const TraceLog& log) {
  for (const LoggedNode& node : log.nodes()) nodes_.push_back(make(node, log.head().began_ns));
}

LogClock::Node LogClock::make(const LoggedNode& logged, std::int64_t began_ns) {
  Node node;
  const std::vector<observe::ClockOffset> offsets = ends_of(logged.offsets);
  for (const observe::ClockReading& reading : logged.readings) {
    // Not the difference of two large floating-point numbers: a host may have been up for years.
    const auto ahead = static_cast<std::int64_t>(std::llround(ahead_at(offsets, reading.ns)));
    const double ns = static_cast<double>(reading.ns - began_ns - ahead);
    if (!node.pieces.empty()) {
      Piece& before = node.pieces.back();
      if (reading.ticks <= before.ticks) continue;
      before.slope = (ns - before.ns) / static_cast<double>(reading.ticks - before.ticks);
    }
    node.pieces.push_back({reading.ticks, ns, 1});
  }
  if (node.pieces.empty()) node.pieces.push_back({0, -static_cast<double>(began_ns), 1});
  if (node.pieces.size() > 1) node.pieces.back().slope = node.pieces[node.pieces.size() - 2].slope;
  return node;
}

std::int64_t LogClock::to_ns(std::int32_t number, std::uint64_t ticks) {
  Node& node = nodes_[static_cast<std::size_t>(number)];
  const std::vector<Piece>& pieces = node.pieces;
  const bool here =
      pieces[node.last].ticks <= ticks && (node.last + 1 == pieces.size() || ticks < pieces[node.last + 1].ticks);
  if (!here) {
    const auto after = std::upper_bound(pieces.begin(), pieces.end(), ticks,
                                        [](std::uint64_t value, const Piece& piece) { return value < piece.ticks; });
    node.last = after == pieces.begin() ? 0 : static_cast<std::size_t>(after - pieces.begin()) - 1;
  }
  const Piece& piece = pieces[node.last];
  const double passed = static_cast<double>(static_cast<std::int64_t>(ticks - piece.ticks));
  return static_cast<std::int64_t>(piece.ns + piece.slope * passed) + node.shift_ns;
}

}  // namespace starling::trace
