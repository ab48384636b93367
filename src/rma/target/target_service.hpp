// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TargetService: serves this rank's target handler, and asks at those of other ranks.
//
// Closed until the first window that needs it: a rank whose windows need none pays nothing, the others pay one load of
// their own cache line in each round of polls. The agent serves beside the wait loop where it is switched on.
// Thread safety: the world's lock; asking gives it up while it waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/id.hpp"
#include "base/status.hpp"
#include "config/config.hpp"
#include "progress/engine.hpp"
#include "rma/shared/window_peers.hpp"
#include "rma/target/agent.hpp"
#include "rma/target/target_handler.hpp"

namespace starling::rma {

/// kAuto: an agent runs once a window needs help. See STARLING_RMA_AGENT.
enum class AgentMode : std::uint8_t { kAuto, kOn, kOff };

[[nodiscard]] Result<AgentMode> parse_agent_mode(std::string_view text);

class TargetService final : private progress::Poller {
 public:
  static Result<std::unique_ptr<TargetService>> create(progress::Engine& progress, const config::Store& config);
  ~TargetService();
  TargetService(const TargetService&) = delete;
  TargetService& operator=(const TargetService&) = delete;

  /// Opens this rank's handler, once. Others may ask after they know of it.
  Status open();
  /// A window of this rank is reached through its handler.
  Status open_for_others();

  /// Switches the agent while the program runs.
  Status set_agent(AgentMode mode);
  Status set_agent_core(std::int64_t core);
  [[nodiscard]] bool agent_runs() const noexcept { return agent_.has_value(); }
  [[nodiscard]] AgentMode agent_mode() const noexcept { return mode_; }

  /// Has the rank read its runs, one after the other, into `to`; or write them. Its handler is open.
  void gather(LocalRank rank, std::span<const transport::RemoteRun> from, void* to);
  void scatter(LocalRank rank, const void* from, std::span<const transport::RemoteRun> to);

 private:
  TargetService(progress::Engine& progress, AgentMode mode, std::int64_t core);
  bool poll() override { return handlers_ != nullptr && own().serve(progress_.segment()); }
  [[nodiscard]] TargetHandler& own() const noexcept { return handler_of(progress_.local_rank()); }
  [[nodiscard]] TargetHandler& handler_of(LocalRank rank) const noexcept { return handlers_[rank.index()]; }

  /// What is left of a list of runs, which goes in several active messages.
  struct RunList;
  [[nodiscard]] bool is_dead(LocalRank rank) const noexcept;
  [[nodiscard]] observe::Wait answer_of(LocalRank rank) const;
  /// Takes the lock of a rank's handler, from a dead origin too.
  void acquire(LocalRank rank, TargetHandler& handler);
  void withdraw(LocalRank rank, TargetHandler& handler);
  void release(TargetHandler& handler) noexcept;
  void ask(LocalRank rank, TargetHandler& handler);
  void update_agent();

  progress::Engine& progress_;
  WindowPeers everybody_;
  AgentMode mode_;
  std::int64_t core_;
  bool helps_ = false;                 ///< a window of this rank needs its handler
  TargetHandler* handlers_ = nullptr;  ///< null while closed
  std::optional<Agent> agent_;
};

}  // namespace starling::rma
