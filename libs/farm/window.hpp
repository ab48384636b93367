// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Window: how many tasks may be under way somewhere. At first a small multiple of the threads there; where tasks are
// short, what is done there in ten milliseconds comes on top, so that a window grows until it hides the way to and fro,
// and tasks that take long are never hoarded.
//
// Thread safety: one thread counts; any thread may read limit().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "task.hpp"

namespace starling::farm {

class Window {
 public:
  explicit Window(std::uint64_t for_each_thread) : for_each_thread_(for_each_thread) {}

  void set_threads(std::uint64_t threads) {
    threads_ = threads;
    settle();
  }

  /// That many more tasks are done.
  void count(std::uint64_t done, Clock::time_point now) {
    done_ += done;
    const std::uint64_t passed_ns = ns_between(since_, now);
    if (passed_ns < kSpanNs) return;
    // A span in which nothing could be done says little: the window shrinks by halves and grows at once.
    lately_ = std::max(done_ * kSpanNs / passed_ns, lately_ / 2);
    done_ = 0;
    since_ = now;
    settle();
  }

  // Relaxed: a limit that is a moment old does no harm.
  std::uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kSpanNs = 5'000'000;
  void settle() {
    limit_.store(std::max<std::uint64_t>(1, for_each_thread_ * threads_) + 2 * lately_, std::memory_order_relaxed);
  }

  const std::uint64_t for_each_thread_;
  std::uint64_t threads_ = 1;
  std::uint64_t done_ = 0;
  std::uint64_t lately_ = 0;  ///< Tasks done in a span.
  Clock::time_point since_ = Clock::now();
  std::atomic<std::uint64_t> limit_{1};
};

}  // namespace starling::farm
