// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_service.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/cpu.hpp"
#include "base/format.hpp"
#include "memory/arena.hpp"

namespace starling::rma {
namespace {

STARLING_CONFIG(agent, "RMA_AGENT", std::string, "auto", kProcess, kProcess,
                "A thread that serves one-sided accesses while the rank makes no MPI call: auto (where windows need "
                "the target's help), on (with the first window) or off.");
STARLING_CONFIG(agent_core, "RMA_AGENT_CORE", std::int64_t, Agent::kAnyCore, kProcess, kProcess,
                "The core that the agent thread runs on; -1: any core of the job.");

/// How long an origin waits for the target's own wait loop before it wakes the agent.
constexpr std::int64_t kPatienceNs = 5'000;

std::vector<LocalRank> all_ranks(const memory::JobSegment& segment) {
  std::vector<LocalRank> ranks;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) ranks.emplace_back(rank);
  return ranks;
}

/// The handlers of the ranks on this node: the first rank to ask makes room for them.
Result<TargetHandler*> find_handlers(memory::JobSegment& segment) {
  memory::Arena arena(segment);
  const memory::Arena::Guard guard(segment);
  STARLING_TRY(arena.open(guard));
  std::uint64_t& root = arena.root(guard, memory::Arena::Root::kWindows);
  if (root == 0) {
    auto block = arena.allocate(guard, segment.ranks() * sizeof(TargetHandler));
    if (!block.ok()) return std::move(block).status();
    root = block.value();
  }
  return reinterpret_cast<TargetHandler*>(arena.at(root));
}

}  // namespace

Result<AgentMode> parse_agent_mode(std::string_view text) {
  if (text == "auto") return AgentMode::kAuto;
  if (text == "on") return AgentMode::kOn;
  if (text == "off") return AgentMode::kOff;
  return Status::error(
      ErrorClass::kInfoValue,
      formatted("STARLING_RMA_AGENT and the info key starling_rma_agent take auto, on or off, not {}", text));
}

/// Takes runs off a list while they fit, the last perhaps in part.
struct TargetService::RunList {
  std::span<const transport::RemoteRun> runs;
  std::uint64_t taken = 0;  ///< of the first of them

  /// Lists the next active message at the handler and returns its bytes; 0 when nothing is left.
  std::uint64_t next(TargetHandler& handler) noexcept {
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
    while (!runs.empty() && count < TargetHandler::kRuns && bytes < TargetHandler::kDataBytes) {
      const transport::RemoteRun& run = runs.front();
      const std::uint64_t piece = std::min(run.bytes - taken, TargetHandler::kDataBytes - bytes);
      handler.runs[count++] = {run.address + taken, piece};
      bytes += piece;
      taken += piece;
      if (taken == run.bytes) {
        runs = runs.subspan(1);
        taken = 0;
      }
    }
    handler.run_count = count;
    return bytes;
  }
};

Result<std::unique_ptr<TargetService>> TargetService::create(progress::Engine& progress, const config::Store& config) {
  Result<AgentMode> mode = parse_agent_mode(config.get(agent));
  if (!mode.ok()) return std::move(mode).status();
  return std::unique_ptr<TargetService>(new TargetService(progress, mode.value(), config.get(agent_core)));
}

TargetService::TargetService(progress::Engine& progress, AgentMode mode, std::int64_t core)
    : progress_(progress),
      everybody_(progress, progress.segment(), all_ranks(progress.segment())),
      mode_(mode),
      core_(core) {}

TargetService::~TargetService() {
  agent_.reset();
  if (handlers_ != nullptr) progress_.remove(*this);
}

Status TargetService::open() {
  if (handlers_ != nullptr) return {};
  memory::JobSegment& segment = progress_.segment();
  Result<TargetHandler*> handlers = find_handlers(segment);
  if (!handlers.ok()) return std::move(handlers).status();
  TargetHandler* mine = handlers.value() + progress_.local_rank().index();
  STARLING_TRY(segment.commit({reinterpret_cast<std::byte*>(mine), sizeof *mine}));
  new (mine) TargetHandler;
  handlers_ = handlers.value();
  progress_.add(*this);
  update_agent();
  return {};
}

Status TargetService::open_for_others() {
  STARLING_TRY(open());
  helps_ = true;
  update_agent();
  return {};
}

Status TargetService::set_agent(AgentMode mode) {
  mode_ = mode;
  if (mode == AgentMode::kOn) STARLING_TRY(open());
  update_agent();
  return {};
}

Status TargetService::set_agent_core(std::int64_t core) {
  if (core < Agent::kAnyCore || core >= CPU_SETSIZE) {
    return Status::error(ErrorClass::kInfoValue,
                         formatted("there is no core {}; -1 lets the agent run on any core of the job", core));
  }
  core_ = core;
  agent_.reset();
  update_agent();
  return {};
}

void TargetService::update_agent() {
  const bool wanted = mode_ == AgentMode::kOn || (mode_ == AgentMode::kAuto && helps_);
  if (!wanted || handlers_ == nullptr) {
    agent_.reset();
  } else if (!agent_) {
    agent_.emplace(progress_.segment(), own(), core_);
  }
}

bool TargetService::is_dead(LocalRank rank) const noexcept {
  return progress_.segment().rank(rank).state.load(std::memory_order_acquire) == memory::RankState::kDead;
}

/// The wait for what a rank's handler has to do.
observe::Wait TargetService::answer_of(LocalRank rank) const {
  observe::Awaited awaited;
  awaited.peer = peer_of(progress_.segment().rank(rank).home_rank);
  awaited.as = observe::AwaitedAs::kWindow;
  return {observe::WaitKind::kWindow, awaited};
}

void TargetService::acquire(LocalRank rank, TargetHandler& handler) {
  const memory::JobSegment& segment = progress_.segment();
  OwnedLock::Taken taken = handler.lock.try_take(progress_.local_rank(), segment);
  if (taken == OwnedLock::Taken::kNo) {
    // seq_cst: as a doorbell's sleeping (docs/design/progress.md).
    handler.lock.waiting.fetch_add(1, std::memory_order_seq_cst);
    do {
      progress_.wait([&] { return handler.lock.may_be_taken(segment); }, [&] { return answer_of(rank); });
      taken = handler.lock.try_take(progress_.local_rank(), segment);
    } while (taken == OwnedLock::Taken::kNo);
    handler.lock.waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  if (taken == OwnedLock::Taken::kFromDead) withdraw(rank, handler);
}

/// Ends what a dead origin has asked for: its data must not be moved any more when the next active message is listed.
void TargetService::withdraw(LocalRank rank, TargetHandler& handler) {
  std::uint32_t asked = TargetHandler::kAsked;
  if (!handler.state.compare_exchange_strong(asked, TargetHandler::kIdle, std::memory_order_acquire)) {
    handler.asker.store(progress_.local_rank().value, std::memory_order_seq_cst);
    progress_.wait(
        [&] { return handler.state.load(std::memory_order_seq_cst) != TargetHandler::kServing || is_dead(rank); },
        [&] { return answer_of(rank); });
  }
  handler.state.store(TargetHandler::kIdle, std::memory_order_relaxed);
}

void TargetService::release(TargetHandler& handler) noexcept {
  handler.lock.drop();
  everybody_.wake_waiters(handler.lock.waiting);
}

void TargetService::ask(LocalRank rank, TargetHandler& handler) {
  // seq_cst, both: see TargetHandler::serve and Agent::wake.
  handler.asker.store(progress_.local_rank().value, std::memory_order_seq_cst);
  handler.state.store(TargetHandler::kAsked, std::memory_order_seq_cst);
  everybody_.ring(rank.value);
  // acquire: what was read for us.
  const auto done = [&] { return handler.state.load(std::memory_order_acquire) == TargetHandler::kDone; };
  const std::int64_t until = now_ns() + kPatienceNs;
  while (!done() && now_ns() < until) {
    if (!progress_.poll()) cpu_relax();
  }
  if (!done()) Agent::wake(handler);
  progress_.wait([&] { return done() || is_dead(rank); }, [&] { return answer_of(rank); });
  handler.state.store(TargetHandler::kIdle, std::memory_order_relaxed);
}

void TargetService::gather(LocalRank rank, std::span<const transport::RemoteRun> from, void* to) {
  TargetHandler& handler = handler_of(rank);
  RunList list{from};
  acquire(rank, handler);
  while (const std::uint64_t bytes = list.next(handler)) {
    handler.message = TargetHandler::ActiveMessage::kGather;
    ask(rank, handler);
    std::memcpy(to, handler.data, bytes);
    to = static_cast<std::byte*>(to) + bytes;
  }
  release(handler);
}

void TargetService::scatter(LocalRank rank, const void* from, std::span<const transport::RemoteRun> to) {
  TargetHandler& handler = handler_of(rank);
  RunList list{to};
  acquire(rank, handler);
  while (const std::uint64_t bytes = list.next(handler)) {
    handler.message = TargetHandler::ActiveMessage::kScatter;
    std::memcpy(handler.data, from, bytes);
    ask(rank, handler);
    from = static_cast<const std::byte*>(from) + bytes;
  }
  release(handler);
}

}  // namespace starling::rma
