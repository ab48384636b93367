// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Job: work that a thread of the library does for its rank.
// Thread safety: execute() runs once, on one thread; done() from any.
// Invariants: once done() holds only the owner touches the job again.
#pragma once

#include <sched.h>

#include <atomic>

namespace starling::io {

class Job {
 public:
  virtual ~Job() = default;

  /// Blocks as long as it takes.
  virtual void execute() = 0;

  /// Blocks until the thread that has the job is through with it: for callers that end early.
  void wait_until_done() const noexcept {
    while (!done()) sched_yield();
  }

  // acquire and release: a thread that sees that the job is done sees what execute() wrote.
  [[nodiscard]] bool done() const noexcept { return done_.load(std::memory_order_acquire); }
  void mark_done() noexcept { done_.store(true, std::memory_order_release); }

 protected:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The job may be executed again.
  void renew() noexcept { done_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> done_{false};
};

}  // namespace starling::io
