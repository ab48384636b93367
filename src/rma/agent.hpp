// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Agent: a thread that serves a rank's help desk while the rank itself makes no MPI call.
//
// It sleeps when nobody asks, takes no lock that a call of the rank takes and touches nothing but the desk and the
// memory that errands name, so the rank's messages do not notice it.
// Thread safety: made and destroyed by the rank. Source: Sun HPC ClusterTools, "Sun MPI Implementation", One-Sided
// Message Passing Using Remote Process.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "rma/help_desk.hpp"

namespace starling::rma {

class Agent {
 public:
  static constexpr std::int64_t kAnyCore = -1;

  /// Runs on `core`, or on any core that the job may use. The desk is open.
  Agent(const memory::JobSegment& segment, HelpDesk& desk, std::int64_t core);
  /// Ends the thread.
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Wakes the agent of a desk if it sleeps. Call after an errand is asked for.
  static void wake(HelpDesk& desk) noexcept;

 private:
  void run() noexcept;
  void sleep_until_asked() noexcept;
  void place(std::int64_t core) noexcept;

  const memory::JobSegment& segment_;
  HelpDesk& desk_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace starling::rma
