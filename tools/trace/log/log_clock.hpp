// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LogClock: the times of all hosts on one clock: nanoseconds since the job began, by the clock of mpiexec's host.
//
// Ticks become a host's nanoseconds by linear interpolation between its clock readings, and those the launcher's by
// linear interpolation between the most precise offsets measured at the start and at the end. What is left of the error
// shows where a message would arrive before it was sent; shift() moves whole hosts so that none does, where that is
// possible. Thread safety: to_ns() keeps its place, so one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/log/trace_log.hpp"

namespace starling::trace {

class LogClock {
 public:
  explicit LogClock(const TraceLog& log);

  [[nodiscard]] std::int64_t to_ns(std::int32_t node, std::uint64_t ticks);
  void shift(std::int32_t node, std::int64_t by_ns) { nodes_[static_cast<std::size_t>(node)].shift_ns += by_ns; }

 private:
  /// From a reading on: nanoseconds = ns + slope * (ticks - ticks of the reading).
  struct Piece {
    std::uint64_t ticks = 0;
    double ns = 0;
    double slope = 1;
  };
  struct Node {
    std::vector<Piece> pieces;
    std::size_t last = 0;  ///< the piece that was used last
    std::int64_t shift_ns = 0;
  };

  [[nodiscard]] static Node make(const LoggedNode& logged, std::int64_t began_ns);

  std::vector<Node> nodes_;
};

}  // namespace starling::trace
