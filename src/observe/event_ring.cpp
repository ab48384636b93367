// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/event_ring.hpp"

#include <algorithm>

namespace starling::observe {

std::uint64_t EventReader::read(std::vector<Event>* events, std::size_t most) {
  const std::uint64_t capacity = ring_.capacity();
  const std::uint64_t written = ring_.head().written.load(std::memory_order_acquire);
  const std::uint64_t first = std::max(next_, written > capacity ? written - capacity : 0);
  const std::uint64_t end = std::min<std::uint64_t>(written, first + most);
  const std::size_t kept = events->size();
  for (std::uint64_t number = first; number < end; ++number) events->push_back(ring_.at(number));
  // The copies come before the second look. The owner may be writing the event after the last that it has told, in the
  // place of one that is a whole ring older.
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t now = ring_.head().written.load(std::memory_order_relaxed) + 1;
  const std::uint64_t whole = std::min(end, std::max(first, now > capacity ? now - capacity : 0));
  const auto torn = static_cast<std::ptrdiff_t>(whole - first);
  const auto begin = events->begin() + static_cast<std::ptrdiff_t>(kept);
  events->erase(begin, begin + torn);
  const std::uint64_t lost = whole - next_;
  next_ = end;
  return lost;
}

}  // namespace starling::observe
