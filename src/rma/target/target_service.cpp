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
#include "rma/target/spins.hpp"

namespace starling::rma {
namespace {

STARLING_CONFIG(
    agent, "RMA_AGENT", std::string, "auto", kProcess, kProcess,
    "Whether threads serve one-sided accesses while the rank makes no MPI call: auto (those of its node where "
    "windows need the target's help, and those of other nodes from the first window that spans nodes), on "
    "(with the first window) or off. A rank with a window that spans nodes then takes a lock in each call.");
STARLING_CONFIG(agent_core, "RMA_AGENT_CORE", std::int64_t, Agent::kAnyCore, kProcess, kProcess,
                "The core that the threads of STARLING_RMA_AGENT run on; -1: any core of the job.");

/// How long an origin waits for the target's own wait loop before it wakes the agent.
constexpr std::int64_t kPatienceNs = 5'000;

/// How long an origin that has another way waits for a target that polls: it takes a poll and two cache lines.
constexpr std::int64_t kShortPatienceNs = 1'500;
/// A target that does not poll is asked again after this many accesses at most.
constexpr std::uint32_t kMostSkips = 64;
/// While so many accesses go the other way a target that was woken begins to poll.
constexpr std::uint32_t kWakingSkips = 16;
/// Accesses follow each other closely where the target was seen asleep less than this ago.
constexpr std::int64_t kCloseNs = 1'000'000;

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
      list(handler, count++, run.address + taken, piece);
      bytes += piece;
      taken += piece;
      if (taken == run.bytes) {
        runs = runs.subspan(1);
        taken = 0;
      }
    }
    handler.run_count = count;
    handler.bytes = static_cast<std::uint32_t>(bytes);
    return bytes;
  }

  static void list(TargetHandler& handler, std::uint32_t index, std::uint64_t address, std::uint64_t bytes) noexcept {
    if (index == 0) {
      handler.first_address = address;
      handler.first_bytes = static_cast<std::uint32_t>(bytes);
    } else {
      handler.more_runs[index - 1] = {address, bytes};
    }
  }

  /// Lists one stretch.
  static void list_one(TargetHandler& handler, std::uint64_t address, std::uint64_t bytes) noexcept {
    list(handler, 0, address, bytes);
    handler.run_count = 1;
    handler.bytes = static_cast<std::uint32_t>(bytes);
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
  attention_.resize(segment.ranks());
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

observe::Wait TargetService::answer_of(LocalRank rank) const {
  observe::Awaited awaited;
  awaited.peer = peer_of(progress_.segment().rank(rank).home_rank);
  awaited.as = observe::AwaitedAs::kWindow;
  return {observe::WaitKind::kWindow, awaited};
}

/// One that sleeps in MPI is woken where accesses follow each
/// other closely and it has a core to poll on.
bool TargetService::seems_to_poll(LocalRank rank) {
  Attention& known = attention(rank);
  if (known.skips != 0) {
    --known.skips;
    return false;
  }
  memory::JobSegment& segment = progress_.segment();
  const memory::JobHeader& header = segment.header();
  const std::uint32_t awake = header.awake.load(std::memory_order_relaxed);
  if (awake > header.usable_cores) return false;
  memory::Doorbell& bell = segment.rank(rank).doorbell;
  if (bell.sleeping.load(std::memory_order_relaxed) == 0) return true;
  const std::int64_t now = now_ns();
  if (awake < header.usable_cores && now - known.silent_ns < kCloseNs) memory::wake(bell);
  known.silent_ns = now;
  known.skips = kWakingSkips;
  return false;
}

KernelChoice& TargetService::kernel_choice(LocalRank rank) {
  std::unique_ptr<KernelChoice>& choice = attention(rank).kernel_choice;
  if (!choice) choice = std::make_unique<KernelChoice>(rank);
  return *choice;
}

void TargetService::note_miss(LocalRank rank) noexcept {
  Attention& known = attention(rank);
  known.misses = std::clamp(2 * known.misses, 1U, kMostSkips);
  known.skips = known.misses;
}

bool TargetService::acquire(LocalRank rank, TargetHandler& handler, Asking asking) {
  if (asking == Asking::kUntilDone) {
    take_lock(rank, handler);
    return true;
  }
  if (!seems_to_poll(rank)) return false;
  const OwnedLock::Taken taken = handler.lock.try_take(progress_.local_rank(), progress_.segment());
  if (taken == OwnedLock::Taken::kFromDead) withdraw(rank, handler);
  return taken != OwnedLock::Taken::kNo;
}

void TargetService::take_lock(LocalRank rank, TargetHandler& handler) {
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

bool TargetService::ask(LocalRank rank, TargetHandler& handler, Asking asking) {
  if (asking == Asking::kWhileItPolls) return ask_while_it_polls(rank, handler);
  // seq_cst, both: see TargetHandler::serve and AgentLoop::wake.
  handler.asker.store(progress_.local_rank().value, std::memory_order_seq_cst);
  handler.state.store(TargetHandler::kAsked, std::memory_order_seq_cst);
  everybody_.ring(rank.value);
  const auto done = [&] { return handler.state.load(std::memory_order_acquire) == TargetHandler::kDone; };
  const std::int64_t until = now_ns() + kPatienceNs;
  while (!done() && now_ns() < until) {
    if (!progress_.poll()) cpu_relax();
  }
  if (!done()) AgentLoop::wake(handler);
  await_answer(rank, handler);
  return true;
}

void TargetService::await_answer(LocalRank rank, TargetHandler& handler) {
  // acquire: what was read for us.
  progress_.wait([&] { return handler.state.load(std::memory_order_acquire) == TargetHandler::kDone || is_dead(rank); },
                 [&] { return answer_of(rank); });
  handler.state.store(TargetHandler::kIdle, std::memory_order_relaxed);
}

bool TargetService::ask_while_it_polls(LocalRank rank, TargetHandler& handler) {
  handler.asker.store(progress_.local_rank().value, std::memory_order_relaxed);
  handler.state.store(TargetHandler::kAsked, std::memory_order_release);
  std::int64_t until = 0;
  for (std::uint32_t spins = 1; handler.state.load(std::memory_order_acquire) != TargetHandler::kDone; ++spins) {
    serve_own();  // the two may be asking each other
    if (spins % kSpinsPerLook != 0) continue;
    const std::int64_t now = now_ns();
    if (until == 0) until = now + kShortPatienceNs;
    if (now < until) continue;
    std::uint32_t asked = TargetHandler::kAsked;
    // seq_cst: as ask() before a wait.
    if (handler.state.compare_exchange_strong(asked, TargetHandler::kIdle, std::memory_order_seq_cst)) {
      note_miss(rank);
      return false;
    }
    // It is being done.
    await_answer(rank, handler);
    return !is_dead(rank);
  }
  handler.state.store(TargetHandler::kIdle, std::memory_order_relaxed);
  note_answer(rank);
  return true;
}

bool TargetService::gather(LocalRank rank, std::span<const transport::RemoteRun> from, void* to, Asking asking) {
  TargetHandler& handler = handler_of(rank);
  RunList list{from};
  if (!acquire(rank, handler, asking)) return false;
  bool done = true;
  while (const std::uint64_t bytes = done ? list.next(handler) : 0) {
    handler.message = TargetHandler::ActiveMessage::kGather;
    done = ask(rank, handler, asking);
    if (done) std::memcpy(to, handler.moved(), bytes);
    to = static_cast<std::byte*>(to) + bytes;
  }
  release(handler);
  return done;
}

bool TargetService::scatter(LocalRank rank, const void* from, std::span<const transport::RemoteRun> to, Asking asking) {
  TargetHandler& handler = handler_of(rank);
  RunList list{to};
  if (!acquire(rank, handler, asking)) return false;
  bool done = true;
  while (const std::uint64_t bytes = done ? list.next(handler) : 0) {
    handler.message = TargetHandler::ActiveMessage::kScatter;
    std::memcpy(handler.moved(), from, bytes);
    done = ask(rank, handler, asking);
    from = static_cast<const std::byte*>(from) + bytes;
  }
  release(handler);
  return done;
}

bool TargetService::combine(LocalRank rank, const Combination& what, Asking asking) {
  TargetHandler& handler = handler_of(rank);
  if (!acquire(rank, handler, asking)) return false;
  RunList::list_one(handler, what.address, what.bytes);
  handler.message = TargetHandler::ActiveMessage::kCombine;
  handler.op = what.op;
  handler.type = what.type;
  handler.fetches = what.old != nullptr;
  if (what.operand != nullptr) std::memcpy(handler.operand(), what.operand, what.bytes);
  const bool done = ask(rank, handler, asking);
  if (done && what.old != nullptr) std::memcpy(what.old, handler.old(), what.bytes);
  release(handler);
  return done;
}

bool TargetService::swap(LocalRank rank, const Swap& what, Asking asking) {
  TargetHandler& handler = handler_of(rank);
  if (!acquire(rank, handler, asking)) return false;
  RunList::list_one(handler, what.address, what.bytes);
  handler.message = TargetHandler::ActiveMessage::kCompareAndSwap;
  std::memcpy(handler.operand(), what.wanted, what.bytes);
  std::memcpy(handler.old(), what.compare, what.bytes);
  const bool done = ask(rank, handler, asking);
  if (done) std::memcpy(what.old, handler.old(), what.bytes);
  release(handler);
  return done;
}

}  // namespace starling::rma
