// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/log/event_merge.hpp"

#include <algorithm>

namespace starling::trace {

EventMerge::EventMerge(const TraceLog& log, LogClock& clock) : log_(log), clock_(clock), places_(log.ranks().size()) {
  const auto after = [this](std::int32_t one, std::int32_t other) { return later(one, other); };
  for (std::size_t rank = 0; rank < places_.size(); ++rank) {
    const auto number = static_cast<std::int32_t>(rank);
    if (advance(number)) heap_.push_back(number);
  }
  std::make_heap(heap_.begin(), heap_.end(), after);
}

bool EventMerge::advance(std::int32_t rank) {
  Place& at = place(rank);
  const LoggedRank& logged = log_.ranks()[static_cast<std::size_t>(rank)];
  while (at.chunk < logged.events.size() && at.index == logged.events[at.chunk].size()) {
    ++at.chunk;
    at.index = 0;
  }
  if (at.chunk == logged.events.size()) return false;
  const observe::Event& event = logged.events[at.chunk][at.index++];
  const std::int32_t node = logged.facts.node;
  at.event = {&event, rank, clock_.to_ns(node, event.begin_ticks), clock_.to_ns(node, event.end_ticks)};
  return true;
}

bool EventMerge::next(TimedEvent* event) {
  constexpr std::uint64_t kBetweenReleases = 1 << 20;
  if (++taken_ % kBetweenReleases == 0) log_.release_memory();
  const auto after = [this](std::int32_t one, std::int32_t other) { return later(one, other); };
  if (taken_from_ >= 0 && advance(taken_from_)) {
    if (heap_.empty() || !later(taken_from_, heap_.front())) {  // most often the same rank goes on
      *event = place(taken_from_).event;
      return true;
    }
    heap_.push_back(taken_from_);
    std::push_heap(heap_.begin(), heap_.end(), after);
  }
  if (heap_.empty()) {
    taken_from_ = -1;
    return false;
  }
  std::pop_heap(heap_.begin(), heap_.end(), after);
  taken_from_ = heap_.back();
  heap_.pop_back();
  *event = place(taken_from_).event;
  return true;
}

}  // namespace starling::trace
