// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Window: how many tasks may be under way somewhere. At first a small multiple of the threads there; where tasks are
// short, twice what is done there in the time of the way to and fro comes on top, at least in five milliseconds, so
// that a window grows until it hides the way, however long that is, and tasks that take long are never hoarded.
//
// Thread safety: one thread counts; any thread may read limit(), and say how many threads there are and how long the
// way is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "task.hpp"

namespace starling::farm {

class Window {
 public:
  explicit Window(std::uint64_t for_each_thread) : for_each_thread_(for_each_thread) {}

  void set_threads(std::uint64_t threads) { threads_.store(threads, std::memory_order_relaxed); }

  /// How long a task was away that took no time itself; the shortest counts, for others have waited in queues.
  void note_way(std::uint64_t way_ns) {
    if (way_ns < way_ns_.load(std::memory_order_relaxed)) way_ns_.store(way_ns, std::memory_order_relaxed);
  }
  /// Instead of what was noted.
  void set_way(std::uint64_t way_ns) { way_ns_.store(way_ns, std::memory_order_relaxed); }
  /// As far as it is known; 0: not at all.
  std::uint64_t way_ns() const {
    const std::uint64_t way = way_ns_.load(std::memory_order_relaxed);
    return way == kUnknown ? 0 : way;
  }

  /// That many more tasks are done.
  void count(std::uint64_t done, Clock::time_point now) {
    done_ += done;
    const std::uint64_t passed_ns = ns_between(since_, now);
    const std::uint64_t span_ns = std::clamp(way_ns(), kShortestSpanNs, kLongestSpanNs);
    const bool over = passed_ns >= span_ns;
    if (!over && !first_span_) return;  // the first one counts as it goes, or short tasks would begin slowly
    // A span in which nothing could be done says little: the window shrinks by halves and grows at once.
    const std::uint64_t before = lately_.load(std::memory_order_relaxed);
    const std::uint64_t fresh = done_ * span_ns / std::max(passed_ns, kShortestNs);
    lately_.store(std::max(fresh, over ? before / 2 : before), std::memory_order_relaxed);
    if (!over) return;
    first_span_ = false;
    done_ = 0;
    since_ = now;
  }

  // Relaxed: a limit that is a moment old does no harm.
  std::uint64_t limit() const {
    const std::uint64_t few = for_each_thread_ * threads_.load(std::memory_order_relaxed);
    return std::max<std::uint64_t>(1, few) + 2 * lately_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kShortestSpanNs = 5'000'000;
  static constexpr std::uint64_t kLongestSpanNs = 1'000'000'000;
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  static constexpr std::uint64_t kShortestNs = 100'000;  ///< That says something about a rate.

  const std::uint64_t for_each_thread_;
  std::atomic<std::uint64_t> threads_{1};
  std::atomic<std::uint64_t> lately_{0};  ///< Tasks done in a span.
  std::atomic<std::uint64_t> way_ns_{kUnknown};
  std::uint64_t done_ = 0;
  bool first_span_ = true;
  Clock::time_point since_ = Clock::now();
};

}  // namespace starling::farm
