// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/help_service.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/cpu.hpp"
#include "memory/arena.hpp"

namespace starling::rma {
namespace {

STARLING_CONFIG(agent, "RMA_AGENT", std::string, "auto",
                "A thread that serves one-sided accesses while the rank makes no MPI call: auto (where windows need "
                "the target's help), on (with the first window) or off.");
STARLING_CONFIG(agent_core, "RMA_AGENT_CORE", std::int64_t, Agent::kAnyCore,
                "The core that the agent thread runs on; -1: any core of the job.");

/// How long an origin waits for the target's own wait loop before it wakes the agent.
constexpr std::int64_t kPatienceNs = 5'000;

std::vector<std::int32_t> all_ranks(const memory::JobSegment& segment) {
  std::vector<std::int32_t> ranks(segment.ranks());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The desks of the job: the first rank to ask makes room for them.
Result<HelpDesk*> find_desks(memory::JobSegment& segment) {
  memory::Arena arena(segment);
  const memory::Arena::Guard guard(segment);
  STARLING_TRY(arena.open(guard));
  std::uint64_t& root = arena.root(guard, memory::Arena::Root::kWindows);
  if (root == 0) {
    auto block = arena.allocate(guard, segment.ranks() * sizeof(HelpDesk));
    if (!block.ok()) return std::move(block).status();
    root = block.value();
  }
  return reinterpret_cast<HelpDesk*>(arena.at(root));
}

}  // namespace

Result<AgentMode> parse_agent_mode(std::string_view text) {
  if (text == "auto") return AgentMode::kAuto;
  if (text == "on") return AgentMode::kOn;
  if (text == "off") return AgentMode::kOff;
  return Status::error(
      ErrorClass::kInfoValue,
      std::string("STARLING_RMA_AGENT and the info key starling_rma_agent take auto, on or off, not ").append(text));
}

/// Takes runs off a list while they fit, the last perhaps in part.
struct HelpService::Part {
  std::span<const transport::RemoteRun> runs;
  std::uint64_t taken = 0;  ///< of the first of them

  /// Lists the next errand at the desk and returns its bytes; 0 when nothing is left.
  std::uint64_t next(HelpDesk& desk) noexcept {
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
    while (!runs.empty() && count < HelpDesk::kRuns && bytes < HelpDesk::kDataBytes) {
      const transport::RemoteRun& run = runs.front();
      const std::uint64_t piece = std::min(run.bytes - taken, HelpDesk::kDataBytes - bytes);
      desk.runs[count++] = {run.address + taken, piece};
      bytes += piece;
      taken += piece;
      if (taken == run.bytes) {
        runs = runs.subspan(1);
        taken = 0;
      }
    }
    desk.run_count = count;
    return bytes;
  }
};

Result<std::unique_ptr<HelpService>> HelpService::create(progress::Engine& progress, const config::Store& config) {
  Result<AgentMode> mode = parse_agent_mode(config.get(agent));
  if (!mode.ok()) return std::move(mode).status();
  return std::unique_ptr<HelpService>(new HelpService(progress, mode.value(), config.get(agent_core)));
}

HelpService::HelpService(progress::Engine& progress, AgentMode mode, std::int64_t core)
    : progress_(progress),
      everybody_(progress, progress.segment(), all_ranks(progress.segment())),
      mode_(mode),
      core_(core) {}

HelpService::~HelpService() {
  agent_.reset();
  if (desks_ != nullptr) progress_.remove(*this);
}

Status HelpService::open() {
  if (desks_ != nullptr) return {};
  memory::JobSegment& segment = progress_.segment();
  Result<HelpDesk*> desks = find_desks(segment);
  if (!desks.ok()) return std::move(desks).status();
  HelpDesk* mine = desks.value() + progress_.rank();
  STARLING_TRY(segment.commit({reinterpret_cast<std::byte*>(mine), sizeof *mine}));
  new (mine) HelpDesk;
  desks_ = desks.value();
  progress_.add(*this);
  update_agent();
  return {};
}

Status HelpService::open_for_others() {
  STARLING_TRY(open());
  helps_ = true;
  update_agent();
  return {};
}

Status HelpService::set_agent(AgentMode mode) {
  mode_ = mode;
  if (mode == AgentMode::kOn) STARLING_TRY(open());
  update_agent();
  return {};
}

Status HelpService::set_agent_core(std::int64_t core) {
  if (core < Agent::kAnyCore || core >= CPU_SETSIZE) {
    return Status::error(ErrorClass::kInfoValue,
                         "there is no core " + std::to_string(core) + "; -1 lets the agent run on any core of the job");
  }
  core_ = core;
  agent_.reset();
  update_agent();
  return {};
}

void HelpService::update_agent() {
  const bool wanted = mode_ == AgentMode::kOn || (mode_ == AgentMode::kAuto && helps_);
  if (!wanted || desks_ == nullptr) {
    agent_.reset();
  } else if (!agent_) {
    agent_.emplace(progress_.segment(), own(), core_);
  }
}

bool HelpService::is_dead(std::int32_t world_rank) const noexcept {
  return progress_.segment().rank(static_cast<std::uint32_t>(world_rank)).state.load(std::memory_order_acquire) ==
         memory::RankState::kDead;
}

void HelpService::come_to(std::int32_t world_rank, HelpDesk& desk) {
  const memory::JobSegment& segment = progress_.segment();
  OwnedLock::Taken taken = desk.lock.try_take(progress_.rank(), segment);
  if (taken == OwnedLock::Taken::kNo) {
    // seq_cst: as a doorbell's sleeping (docs/design/progress.md).
    desk.lock.waiting.fetch_add(1, std::memory_order_seq_cst);
    do {
      progress_.wait([&] { return desk.lock.may_be_taken(segment); });
      taken = desk.lock.try_take(progress_.rank(), segment);
    } while (taken == OwnedLock::Taken::kNo);
    desk.lock.waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  if (taken == OwnedLock::Taken::kFromDead) withdraw(world_rank, desk);
}

/// What a dead origin has asked for: nobody may move its data any more when the next errand is listed.
void HelpService::withdraw(std::int32_t world_rank, HelpDesk& desk) {
  std::uint32_t asked = HelpDesk::kAsked;
  if (!desk.state.compare_exchange_strong(asked, HelpDesk::kIdle, std::memory_order_acquire)) {
    desk.asker.store(static_cast<std::int32_t>(progress_.rank()), std::memory_order_seq_cst);
    progress_.wait(
        [&] { return desk.state.load(std::memory_order_seq_cst) != HelpDesk::kServing || is_dead(world_rank); });
  }
  desk.state.store(HelpDesk::kIdle, std::memory_order_relaxed);
}

void HelpService::leave(HelpDesk& desk) noexcept {
  desk.lock.drop();
  everybody_.wake_waiters(desk.lock.waiting);
}

void HelpService::ask(std::int32_t world_rank, HelpDesk& desk) {
  // seq_cst, both: see HelpDesk::serve and Agent::wake.
  desk.asker.store(static_cast<std::int32_t>(progress_.rank()), std::memory_order_seq_cst);
  desk.state.store(HelpDesk::kAsked, std::memory_order_seq_cst);
  everybody_.ring(world_rank);
  // acquire: what was read for us.
  const auto done = [&] { return desk.state.load(std::memory_order_acquire) == HelpDesk::kDone; };
  const std::int64_t until = now_ns() + kPatienceNs;
  while (!done() && now_ns() < until) {
    if (!progress_.poll()) cpu_relax();
  }
  if (!done()) Agent::wake(desk);
  progress_.wait([&] { return done() || is_dead(world_rank); });
  desk.state.store(HelpDesk::kIdle, std::memory_order_relaxed);
}

void HelpService::gather(std::int32_t world_rank, std::span<const transport::RemoteRun> from, void* to) {
  HelpDesk& desk = desks_[world_rank];
  Part part{from};
  come_to(world_rank, desk);
  while (const std::uint64_t bytes = part.next(desk)) {
    desk.errand = HelpDesk::Errand::kGather;
    ask(world_rank, desk);
    std::memcpy(to, desk.data, bytes);
    to = static_cast<std::byte*>(to) + bytes;
  }
  leave(desk);
}

void HelpService::scatter(std::int32_t world_rank, const void* from, std::span<const transport::RemoteRun> to) {
  HelpDesk& desk = desks_[world_rank];
  Part part{to};
  come_to(world_rank, desk);
  while (const std::uint64_t bytes = part.next(desk)) {
    desk.errand = HelpDesk::Errand::kScatter;
    std::memcpy(desk.data, from, bytes);
    ask(world_rank, desk);
    from = static_cast<const std::byte*>(from) + bytes;
  }
  leave(desk);
}

}  // namespace starling::rma
