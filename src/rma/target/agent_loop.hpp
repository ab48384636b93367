// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// AgentLoop: what an agent's thread runs (agent.hpp): it serves a target handler, and sleeps while no rank asks.
//
// All orders that C++ permits are tried in tests/weak_memory/target_handler_test.cpp.
// Thread safety: run() in one thread, stop() and wake() in any, of any process for wake().
#pragma once

#include <atomic>

#include "rma/target/target_handler.hpp"

namespace starling::rma {

class AgentLoop {
 public:
  /// The handler is open.
  AgentLoop(const memory::JobSegment& segment, TargetHandler& handler) noexcept
      : segment_(segment), handler_(handler) {}

  /// Serves until stop().
  void run() noexcept;
  /// Ends run(), also one that sleeps.
  void stop() noexcept;
  /// Wakes the agent of a handler if it sleeps. Call after an active message is asked for.
  static void wake(TargetHandler& handler) noexcept;

 private:
  void sleep_until_asked() noexcept;

  const memory::JobSegment& segment_;
  TargetHandler& handler_;
  std::atomic<bool> stopping_{false};
};

}  // namespace starling::rma
