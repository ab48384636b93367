// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HelpService: this rank's part in the help desks of the job: it serves its own and asks at others'.
//
// Closed until the first window that needs it: a rank that never helps pays nothing, one that does pays one load of its
// own cache line in each round of polls. The agent serves beside the wait loop where it is switched on.
// Thread safety: the world's lock; asking gives it up while it waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.hpp"
#include "config/config.hpp"
#include "progress/engine.hpp"
#include "rma/agent.hpp"
#include "rma/help_desk.hpp"
#include "rma/neighbours.hpp"

namespace starling::rma {

/// kAuto: an agent runs once a window needs help. See STARLING_RMA_AGENT.
enum class AgentMode : std::uint8_t { kAuto, kOn, kOff };

[[nodiscard]] Result<AgentMode> parse_agent_mode(std::string_view text);

class HelpService final : private progress::Poller {
 public:
  static Result<std::unique_ptr<HelpService>> create(progress::Engine& progress, const config::Store& config);
  ~HelpService();
  HelpService(const HelpService&) = delete;
  HelpService& operator=(const HelpService&) = delete;

  /// Opens this rank's desk, once. Others may ask after they know of it.
  Status open();
  /// A window of this rank is reached through its desk.
  Status open_for_others();

  /// Switches the agent while the program runs.
  Status set_agent(AgentMode mode);
  Status set_agent_core(std::int64_t core);
  [[nodiscard]] bool agent_runs() const noexcept { return agent_.has_value(); }
  [[nodiscard]] AgentMode agent_mode() const noexcept { return mode_; }

  /// Has the rank read its runs, one after the other, into `to`; or write them. Its desk is open.
  void gather(std::int32_t world_rank, std::span<const transport::RemoteRun> from, void* to);
  void scatter(std::int32_t world_rank, const void* from, std::span<const transport::RemoteRun> to);

 private:
  HelpService(progress::Engine& progress, AgentMode mode, std::int64_t core);
  bool poll() override { return desks_ != nullptr && own().serve(progress_.segment()); }
  [[nodiscard]] HelpDesk& own() const noexcept { return desks_[progress_.rank()]; }

  /// The next part of a list of runs that fits one errand.
  struct Part;
  [[nodiscard]] bool is_dead(std::int32_t world_rank) const noexcept;
  /// Takes the lock of a rank's desk, from a dead origin too.
  void come_to(std::int32_t world_rank, HelpDesk& desk);
  void withdraw(std::int32_t world_rank, HelpDesk& desk);
  void leave(HelpDesk& desk) noexcept;
  void ask(std::int32_t world_rank, HelpDesk& desk);
  void update_agent();

  progress::Engine& progress_;
  Neighbours everybody_;
  AgentMode mode_;
  std::int64_t core_;
  bool helps_ = false;         ///< a window of this rank needs its desk
  HelpDesk* desks_ = nullptr;  ///< null while closed
  std::optional<Agent> agent_;
};

}  // namespace starling::rma
