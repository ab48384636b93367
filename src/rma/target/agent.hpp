// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Agent: a thread that serves a rank's target handler while the rank itself makes no MPI call.
//
// It sleeps while no rank asks, takes no lock that a call of the rank takes and touches nothing but the handler and the
// memory that active messages name, so the rank's messages do not notice it.
// Thread safety: made and destroyed by the rank. Source: Sun HPC ClusterTools, "Sun MPI Implementation", One-Sided
// Message Passing Using Remote Process.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "progress/helper_thread.hpp"
#include "rma/target/agent_loop.hpp"

namespace starling::rma {

class Agent {
 public:
  static constexpr std::int64_t kAnyCore = progress::kAnyCore;

  /// Runs on `core`, or on any core that the job may use. The handler is open.
  Agent(const memory::JobSegment& segment, TargetHandler& handler, std::int64_t core);
  /// Ends the thread.
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  /// False: the system has no thread left, and the rank serves within its MPI calls only.
  [[nodiscard]] bool runs() const noexcept { return thread_ != nullptr; }

 private:
  AgentLoop loop_;
  std::unique_ptr<std::thread> thread_;  ///< null where the system has no thread left
};

}  // namespace starling::rma
