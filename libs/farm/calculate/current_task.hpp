// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CurrentTask: the task that a Calculate thread is at, for one other thread that may want to copy it, or to take it
// away. Showing it costs two stores, taking it back one atomic exchange, which waits while it is being copied, and for
// ever if it was taken away.
//
// Thread safety: one thread shows; one other one looks.
// Invariants: the task stays as it is, and its input where it is, while it is shown.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "task/task.hpp"

namespace starling::farm {

class CurrentTask {
 public:
  /// Shows a task while it lives.
  class Shown {
   public:
    Shown(CurrentTask& current, const Task& task) : current_(current) { current_.show(task); }
    ~Shown() { current_.hide(); }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;

   private:
    CurrentTask& current_;
  };

  /// Calls `copy` with the task that was shown already when this was called last, if there is one.
  template <class Copy>
  void look(Copy&& copy) {
    std::uint64_t state = state_.load(std::memory_order_acquire);  // pairs with show(): task_ is written
    const bool long_shown = state == seen_ && (state & kShown) != 0;
    seen_ = state;
    if (!long_shown || !state_.compare_exchange_strong(state, state | kHeld, std::memory_order_acquire)) return;
    const Release release{state_, state};
    copy(*task_);
  }

  /// What is shown now, unlike anything shown before; 0 for nothing.
  std::uint64_t shown() const {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    return (state & kShown) != 0 ? state : 0;
  }
  /// Calls `take` with the task if it is still the one that shown() told of. Its thread never goes on after it.
  template <class Take>
  bool take_away(std::uint64_t state, Take&& take) {
    if (!state_.compare_exchange_strong(state, state | kAway, std::memory_order_acq_rel)) return false;
    take(*task_);
    return true;
  }

 private:
  static constexpr std::uint64_t kShown = 1;
  static constexpr std::uint64_t kHeld = 2;
  static constexpr std::uint64_t kAway = 4;
  static constexpr std::uint64_t kNext = 8;  ///< Each task has a state of its own.

  struct Release {
    std::atomic<std::uint64_t>& state;
    const std::uint64_t shown;
    ~Release() { state.store(shown, std::memory_order_release); }  // pairs with hide(): the copy is made
  };

  void show(const Task& task) {
    task_ = &task;
    hidden_ += kNext;
    state_.store(hidden_ | kShown, std::memory_order_release);
  }
  void hide() {
    for (std::uint64_t shown = hidden_ | kShown;
         !state_.compare_exchange_weak(shown, hidden_, std::memory_order_acquire, std::memory_order_relaxed);
         shown = hidden_ | kShown) {
      while ((shown & kAway) != 0) ::pause();
      std::this_thread::yield();
    }
  }

  const Task* task_ = nullptr;
  std::uint64_t hidden_ = 0;  ///< The state when the shown task is taken back.
  std::atomic<std::uint64_t> state_{0};
  std::uint64_t seen_ = 0;  ///< By the thread that looks.
};

}  // namespace starling::farm
