// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TargetService: serves this rank's target handler, and asks at those of other ranks.
//
// Closed until the first window over private memory: a rank without one pays nothing, the others pay one load of their
// own cache line in each round of polls. The agent serves beside the wait loop where it is switched on.
// Thread safety: the world's lock; asking gives it up while it waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "config/config.hpp"
#include "progress/engine.hpp"
#include "rma/shared/window_peers.hpp"
#include "rma/target/agent.hpp"
#include "rma/target/kernel_choice.hpp"
#include "rma/target/target_handler.hpp"

namespace starling::rma {

/// kAuto: an agent runs once a window needs help. See STARLING_RMA_AGENT.
enum class AgentMode : std::uint8_t { kAuto, kOn, kOff };

[[nodiscard]] Result<AgentMode> parse_agent_mode(std::string_view text);

/// How long an origin goes on asking.
enum class Asking : std::uint8_t {
  kUntilDone,     ///< nothing else reaches the memory: until the target has done it, or is dead
  kWhileItPolls,  ///< there is another way: for some microseconds, and not at all while the target seems not to poll
};

/// An accumulate of contiguous elements without gaps, at most TargetHandler::kCombineBytes. The caller holds the
/// window's lock.
struct Combination {
  std::uint64_t address;  ///< of the first element
  std::uint64_t bytes;
  datatype::PredefinedOp op;
  datatype::Basic type;
  const void* operand;  ///< null for MPI_NO_OP
  void* old;            ///< what was there before goes here, if not null
};

/// A compare and swap of one element of at most 16 bytes. The caller holds the window's lock.
struct Swap {
  std::uint64_t address;
  std::uint64_t bytes;
  const void* wanted;
  const void* compare;
  void* old;
};

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
  [[nodiscard]] bool agent_runs() const noexcept { return agent_ && agent_->runs(); }
  [[nodiscard]] AgentMode agent_mode() const noexcept { return mode_; }
  [[nodiscard]] std::int64_t core_of_agent() const noexcept { return core_; }

  /// Has the rank, whose handler is open, read its runs, one after the other, into `to`; or write them; or combine
  /// elements. False: it did not, or not all; `combine` and `swap` have changed nothing then.
  bool gather(LocalRank rank, std::span<const transport::RemoteRun> from, void* to, Asking asking);
  bool scatter(LocalRank rank, const void* from, std::span<const transport::RemoteRun> to, Asking asking);
  bool combine(LocalRank rank, const Combination& what, Asking asking);
  bool swap(LocalRank rank, const Swap& what, Asking asking);

  // What whoever asks at a handler has to know (put_streams.hpp).
  [[nodiscard]] TargetHandler& handler_of(LocalRank rank) const noexcept { return handlers_[rank.index()]; }
  /// Serves this rank's handler.
  bool serve_own() noexcept { return handlers_ != nullptr && own().serve(progress_.segment()); }
  [[nodiscard]] bool is_dead(LocalRank rank) const noexcept;
  /// The wait for what a rank's handler has to do.
  [[nodiscard]] observe::Wait answer_of(LocalRank rank) const;
  /// Whether it pays to ask a rank that need not be asked.
  [[nodiscard]] bool seems_to_poll(LocalRank rank);
  /// Whether the kernel or such a rank copies what is put to it or got from it.
  [[nodiscard]] KernelChoice& kernel_choice(LocalRank rank);
  /// It has not answered, or has.
  void note_miss(LocalRank rank) noexcept;
  void note_answer(LocalRank rank) noexcept { attention(rank).misses = 0; }

 private:
  TargetService(progress::Engine& progress, AgentMode mode, std::int64_t core);
  bool poll() override { return serve_own(); }
  [[nodiscard]] TargetHandler& own() const noexcept { return handler_of(progress_.local_rank()); }

  /// What is left of a list of runs, which goes in several active messages.
  struct RunList;
  /// What this rank knows of another's polling.
  struct Attention {
    std::uint32_t skips = 0;     ///< so many accesses go another way before the next is asked for
    std::uint32_t misses = 0;    ///< the last skips; 0: it has answered
    std::int64_t silent_ns = 0;  ///< when it was last seen asleep
    std::unique_ptr<KernelChoice> kernel_choice;
  };
  [[nodiscard]] Attention& attention(LocalRank rank) noexcept { return attention_[rank.index()]; }
  /// Takes the lock of a rank's handler, from a dead origin too.
  bool acquire(LocalRank rank, TargetHandler& handler, Asking asking);
  void take_lock(LocalRank rank, TargetHandler& handler);
  void withdraw(LocalRank rank, TargetHandler& handler);
  void release(TargetHandler& handler) noexcept;
  bool ask(LocalRank rank, TargetHandler& handler, Asking asking);
  bool ask_while_it_polls(LocalRank rank, TargetHandler& handler);
  void await_answer(LocalRank rank, TargetHandler& handler);
  void update_agent();

  progress::Engine& progress_;
  WindowPeers everybody_;
  AgentMode mode_;
  std::int64_t core_;
  bool helps_ = false;                 ///< a window of this rank needs its handler
  TargetHandler* handlers_ = nullptr;  ///< null while closed
  std::optional<Agent> agent_;
  std::vector<Attention> attention_;  ///< by local rank
};

}  // namespace starling::rma
