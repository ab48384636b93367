// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// EventMerge: the events of all ranks of a log in the order in which they ended.
// Thread safety: none. Memory: a few words for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/log/log_clock.hpp"
#include "trace/log/trace_log.hpp"

namespace starling::trace {

struct TimedEvent {
  const observe::Event* event = nullptr;
  std::int32_t rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

class EventMerge {
 public:
  EventMerge(const TraceLog& log, LogClock& clock);

  /// False: there are no more.
  bool next(TimedEvent* event);

 private:
  struct Place {
    std::size_t chunk = 0;
    std::size_t index = 0;
    TimedEvent event;  ///< the next of this rank
  };
  /// Takes the rank's next event into its place. False: there is none.
  bool advance(std::int32_t rank);
  [[nodiscard]] Place& place(std::int32_t rank) { return places_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool later(std::int32_t one, std::int32_t other) {
    const std::int64_t mine = place(one).event.end_ns, its = place(other).event.end_ns;
    return mine != its ? mine > its : one > other;
  }

  const TraceLog& log_;
  LogClock& clock_;
  std::vector<Place> places_;
  std::vector<std::int32_t> heap_;  ///< ranks, the one whose event is the earliest first
  std::int32_t taken_from_ = -1;    ///< it is not in the heap
  std::uint64_t taken_ = 0;
};

}  // namespace starling::trace
