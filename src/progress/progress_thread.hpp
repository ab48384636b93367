// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ProgressThread: makes progress for a rank that computes. While the rank is in calls, they move its messages and the
// thread only looks now and then whether that has ended. Once the rank has made no call for a moment, the thread sleeps
// on the rank's doorbell in its place: whoever has something for the rank wakes it, and it makes a round.
//
// So a rank in a loop of short calls is never woken twice, and one that computes pays for what comes only. Whether the
// rank is in a call is read from its status card, without a lock.
//
// With Duty::kFarRanks it only serves ranks of other nodes, and calls no function of the program's. It then sleeps on
// the descriptors of the networks themselves, so that one wake-up lies between a message and its service, and ranks of
// the node do not ring for it; on the doorbell only while it waits for one of these. What it has armed holds until a
// call moves something, which stirs it.
//
// Thread safety: made and destroyed by the rank, while it does not hold the world's lock. Invariants: takes no signal;
// in a forked child, which has no such thread, the object only lets go of its memory. Source: Sun HPC ClusterTools,
// "Sun MPI Implementation", Progress Engine (what it has not).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "config/config.hpp"
#include "progress/descriptor_watch.hpp"
#include "progress/engine.hpp"
#include "progress/helper_thread.hpp"

namespace starling::progress {

/// STARLING_PROGRESS_THREAD.
[[nodiscard]] bool wants_progress_thread(const config::Store& config);

class ProgressThread {
 public:
  /// Called with `body` to run it with the world's lock; returns what that does.
  using Locked = std::function<bool(const std::function<bool()>& body)>;
  enum class Duty : std::uint8_t {
    kEverything,  ///< whatever a call of the rank would move
    kFarRanks,    ///< those who serve ranks of other nodes (Poller::serves_far_ranks)
  };

  /// core: where it runs.
  ProgressThread(Engine& engine, Locked locked, Duty duty = Duty::kEverything, std::int64_t core = kAnyCore);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  [[nodiscard]] Duty duty() const noexcept { return duty_; }
  [[nodiscard]] std::int64_t core() const noexcept { return core_; }
  /// False: the system had no thread or descriptor left.
  [[nodiscard]] bool runs() const noexcept { return thread_ != nullptr; }

 private:
  /// Where what comes later is told.
  enum class Armed : std::uint8_t { kNowhere, kBell, kWatch };

  void run() noexcept;
  /// Until the rank makes its next call.
  void stand_in(std::uint64_t calls) noexcept;
  void sleep_on_bell(std::uint64_t calls) noexcept;
  void sleep_on_watch(std::uint64_t calls) noexcept;
  /// Whether anything moved; true as well where something came just now that cannot be armed for.
  bool round(Armed armed);
  bool far_round();
  bool arm(Armed armed);
  void nap(std::int64_t nanoseconds) noexcept;
  [[nodiscard]] bool computes_since(std::uint64_t calls) const noexcept;
  [[nodiscard]] bool stopping() const noexcept { return stop_.load(std::memory_order_acquire) != 0; }

  Engine& engine_;
  Locked locked_;
  Duty duty_;
  std::int64_t core_;
  DescriptorWatch watch_;               ///< of kFarRanks
  bool awaits_neighbours_ = false;      ///< since the last round
  std::atomic<std::uint32_t> stop_{0};  ///< a word to sleep on as well
  pid_t process_ = 0;
  std::unique_ptr<std::thread> thread_;  ///< null where the system has no thread left
};

}  // namespace starling::progress
