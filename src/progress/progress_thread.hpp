// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ProgressThread: makes progress for a rank that computes. While the rank is in calls, they move its messages and the
// thread only looks now and then whether that has ended. Once the rank has made no call for a moment, the thread sleeps
// on the rank's doorbell in its place: whoever has something for the rank wakes it, and it makes a round.
//
// So a rank in a loop of short calls is never woken twice, and one that computes pays for what comes only. Whether the
// rank is in a call is read from its status card, without a lock. Thread safety: made and destroyed by the rank, while
// it does not hold the world's lock. Invariants: takes no signal; in a forked child, which has no such thread, the
// object only lets go of its memory. Source: Sun HPC ClusterTools, "Sun MPI Implementation", Progress Engine (what it
// has not).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "config/config.hpp"
#include "progress/engine.hpp"

namespace starling::progress {

/// STARLING_PROGRESS_THREAD.
[[nodiscard]] bool wants_progress_thread(const config::Store& config);

class ProgressThread {
 public:
  /// Called with `body` to run it with the world's lock; returns what that does.
  using Locked = std::function<bool(const std::function<bool()>& body)>;

  ProgressThread(Engine& engine, Locked locked);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

 private:
  void run() noexcept;
  /// Until the rank makes its next call.
  void stand_in(std::uint64_t calls) noexcept;
  /// Whether anything moved. arms: when nothing does, what comes later rings the doorbell; true as well where something
  /// came just now.
  bool round(bool arms);
  void nap(std::int64_t nanoseconds) noexcept;
  [[nodiscard]] bool computes_since(std::uint64_t calls) const noexcept;
  [[nodiscard]] bool stopping() const noexcept { return stop_.load(std::memory_order_acquire) != 0; }
  void place() noexcept;

  Engine& engine_;
  Locked locked_;
  std::atomic<std::uint32_t> stop_{0};  ///< a word to sleep on as well
  pid_t process_ = 0;
  std::unique_ptr<std::thread> thread_;  ///< null where the system has no thread left
};

}  // namespace starling::progress
