// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/engine.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/cpu.hpp"
#include "base/format.hpp"
#include "memory/doorbell.hpp"
#include "progress/descriptor_waker.hpp"

namespace starling::progress {
namespace {

STARLING_CONFIG(wait_mode, "WAIT", std::string, "auto", kWaiting, kAnyTime,
                "How waits wait: auto (from the cores really available, and from who else wants them), spin (never "
                "give the core away), yield (never sleep) or sleep (sleep as soon as nothing is there).");
STARLING_CONFIG(spin_us, "WAIT_SPIN_US", std::int64_t, 50, kWaiting, kAnyTime,
                "Microseconds that a wait, or a row of fruitless tests, spins before it first yields, while there is a "
                "core for every awake rank; and after which a wait sleeps where others than the job's ranks on this "
                "node wait on its core.");
STARLING_CONFIG(sleep_after_us, "WAIT_SLEEP_AFTER_US", std::int64_t, 1000, kWaiting, kAnyTime,
                "Microseconds without work after which a wait sleeps, while there is a core for every awake rank.");
STARLING_CONFIG(oversubscribed_spins, "WAIT_OVERSUBSCRIBED_SPINS", std::int64_t, 0, kWaiting, kAnyTime,
                "Polls before a wait, or a row of fruitless tests that goes on, yields, while more ranks are awake "
                "than there are cores, or others wait on the core; 0: 2, and 4 where a network is polled, too.");
STARLING_CONFIG(
    oversubscribed_sleep_after_us, "WAIT_OVERSUBSCRIBED_SLEEP_AFTER_US", std::int64_t, 1000, kWaiting, kAnyTime,
    "Microseconds without work after which a wait sleeps, while more ranks are awake than there are cores.");

STARLING_CONFIG(coschedule, "WAIT_COSCHEDULE", bool, false, kWaiting, kAnyTime,
                "Whether a rank that is woken wakes the other ranks of its node that sleep, so that all run at the "
                "same time; else each sleeps until there is something for it.");

/// Polls between two looks at the clock; one poll is some tens of nanoseconds.
constexpr std::uint32_t kPollsPerLook = 32;
/// The first polls run without a pause instruction: it costs more than a message takes.
constexpr std::uint32_t kPollsWithoutPause = 256;

/// All ranks of the node that sleep.
void wake_others(memory::JobSegment& segment, const memory::Doorbell& own) noexcept {
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    memory::Doorbell& bell = segment.rank(LocalRank(rank)).doorbell;
    if (&bell != &own && bell.sleeping.load(std::memory_order_relaxed) != 0) memory::wake(bell);
  }
}

/// The processor time until now of all processes that share the segment and that the system shows to this one.
std::int64_t cpu_ns_of_ranks(const memory::JobSegment& segment) noexcept {
  std::int64_t sum = 0;
  std::int32_t before = 0;  // ranks that are threads have one process
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const std::int32_t pid = segment.rank(LocalRank(rank)).pid.load(std::memory_order_relaxed);
    clockid_t clock{};
    if (pid == 0 || std::exchange(before, pid) == pid) continue;
    if (clock_getcpuclockid(pid, &clock) == 0) sum += clock_ns(clock);
  }
  return sum;
}

std::unique_ptr<observe::Tracer> make_tracer(memory::JobSegment& segment, LocalRank rank) {
  const observe::EventRing ring = segment.event_ring(rank);
  if (!ring.exists()) return nullptr;
  const memory::JobHeader& header = segment.header();
  return std::make_unique<observe::Tracer>(ring, header.trace_mode, segment.rank(rank).card,
                                           header.geometry.world_ranks);
}

}  // namespace

Result<WaitMode> parse_wait_mode(const std::string& text) {
  if (text == "auto") return WaitMode::kAuto;
  if (text == "spin") return WaitMode::kSpin;
  if (text == "yield") return WaitMode::kYield;
  if (text == "sleep") return WaitMode::kSleep;
  return Status::error(
      ErrorClass::kArg,
      formatted("the way to wait \"{}\" is not understood: STARLING_WAIT and the info key starling_wait take "
                "auto, spin, yield or sleep",
                text));
}

Result<WaitMode> configured_wait_mode(const config::Store& config) { return parse_wait_mode(config.get(wait_mode)); }

Engine::Engine(memory::JobSegment& segment, LocalRank rank, const config::Store& config)
    : segment_(segment),
      header_(segment.header()),
      local_rank_(rank),
      tracer_(make_tracer(segment, rank)),
      own_card_(segment.rank(rank), tracer_.get()),
      awake_(header_, own_card_),
      core_(header_, [&segment] { return cpu_ns_of_ranks(segment); }),
      bells_(segment.rank(rank).doorbell) {
  configure(config);
  memory::register_for_barriers();
}

void Engine::configure(const config::Store& config) {
  constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;
  spin_ns_ = config.get(spin_us) * kNanosecondsPerMicrosecond;
  sleep_after_ns_ = config.get(sleep_after_us) * kNanosecondsPerMicrosecond;
  set_polls_ = static_cast<std::uint32_t>(std::max<std::int64_t>(config.get(oversubscribed_spins), 0));
  oversubscribed_sleep_after_ns_ = config.get(oversubscribed_sleep_after_us) * kNanosecondsPerMicrosecond;
  wakes_group_ = config.get(coschedule);
  auto mode = configured_wait_mode(config);
  if (mode.ok()) mode_ = mode.value();
}

Engine::~Engine() = default;

void Engine::remove(Poller& poller, Poller* successor) {
  const auto found = std::find(pollers_.begin(), pollers_.end(), &poller);
  if (successor != nullptr) {
    *found = successor;
  } else {
    pollers_.erase(found);
  }
}

bool Engine::handle_events() {
  events_seen_ = header_.events.load(std::memory_order_acquire);
  if (event_handler_ == nullptr) return false;
  event_handler_->handle_events();
  return true;
}

void Engine::wait_in_team(Condition done, Description describe) {
  WaitTeam::Member self(done);
  bool holds = false;
  const auto is_crowded = [this] {
    return header_.awake.load(std::memory_order_relaxed) + team_.awake_followers() > header_.usable_cores;
  };
  bool makes_room = false;
  bool passes_on = false;
  std::uint32_t rounds = 0;
  std::uint64_t tells = 0;  // before it led
  const auto is_over = [&] {
    lock_.let_in();
    team_.tell_followers();
    makes_room = false;
    passes_on = false;
    holds = done();
    if (holds || !team_.leads(self)) return true;
    passes_on = team_.tells() - tells >= WaitTeam::kTellsOfAMereLeader;
    makes_room = team_.has_told() && mode_ != WaitMode::kSpin && is_crowded() &&
                 (core_.is_wanted() || team_.told_should_go_first(++rounds));
    return passes_on || makes_room;
  };
  do {
    if (!team_.may_lead() || std::exchange(passes_on, false)) {
      const WaitMode mode = mode_ == WaitMode::kAuto && core_.is_taken() ? WaitMode::kSleep : mode_;
      const WaitTeam::Patience patience{mode, spin_ns_, sleep_after_ns_};
      team_.follow(self, lock_, patience, is_crowded);
      holds = done();  // another thread may have had the lock since it was told
      continue;
    }
    WaitTeam::Member* const before = team_.begin_to_lead(self);
    awake_.look(true);
    rounds = 0;
    tells = team_.tells();
    poll_until(is_over, describe);
    if (holds && rounds != 0) team_.note_told_waited();
    if (team_.leads(self)) team_.end_to_lead(before, makes_room || passes_on);
    awake_.look(team_.has_leader());
    passes_on &= !team_.has_leader();
    if (!std::exchange(makes_room, false)) continue;
    // Others may come and go meanwhile. Whoever finds that nobody leads then leads, and does not follow.
    passes_on = false;
    give_way(now_ns());
    holds = done();
  } while (!holds);
  team_.leave();
}

Engine::Next Engine::take_stock(Idle& idle) {
  if (mode_ == WaitMode::kSpin || (mode_ == WaitMode::kAuto && !core_.is_wanted())) return look_spinning(idle);
  idle.pauses = false;
  idle.next_look = idle.polls + 1;
  if (mode_ == WaitMode::kAuto && idle.polls % polls_before_yield() != 0) return Next::kPollAgain;
  const std::int64_t now = now_ns();
  const std::int64_t waited = idle.waited_ns(now);
  core_.see(now);
  own_card_.note_look();
  const std::int64_t most =
      core_.is_shared() ? std::min(spin_ns_, oversubscribed_sleep_after_ns_) : oversubscribed_sleep_after_ns_;
  const bool is_enough = waited >= most || core_.is_taken();
  if (mode_ == WaitMode::kSleep || (mode_ == WaitMode::kAuto && is_enough)) return Next::kSleep;
  give_way(now);
  return Next::kPollAgain;
}

Engine::Next Engine::look_spinning(Idle& idle) {
  idle.pauses = idle.polls >= kPollsWithoutPause;
  idle.next_look = idle.polls / kPollsPerLook * kPollsPerLook + kPollsPerLook;
  if (idle.polls % kPollsPerLook != 0) return Next::kPollAgain;
  const std::int64_t now = now_ns();
  const std::int64_t waited = idle.waited_ns(now);
  core_.see(now);
  own_card_.note_look();
  if (team_.awake_followers() != 0) give_way(now);  // or a rank whose threads have no core each
  if (mode_ == WaitMode::kSpin || waited < spin_ns_) return Next::kPollAgain;
  if (waited >= sleep_after_ns_ || core_.is_taken()) return Next::kSleep;
  give_way(now);
  return Next::kPollAgain;
}

std::int64_t Engine::Idle::waited_ns(std::int64_t now) noexcept {
  if (since_ns == 0) since_ns = now;
  return now - since_ns;
}

void Engine::give_way(std::int64_t now, Rests* rests, std::int64_t row_ns) {
  constexpr timespec kShortest{0, 1};
  Rests::How how = Rests::How::kYield;
  std::int64_t longest_sleep_ns = Rests::longest_sleep_ns(row_ns);
  core_.see(now);
  if (rests != nullptr && mode_ != WaitMode::kYield) {
    how = rests->next(row_ns, now, mode_ == WaitMode::kSleep || core_.is_wanted());
    if (mode_ == WaitMode::kAuto && core_.is_taken()) {
      how = Rests::How::kSleep;
      longest_sleep_ns = Rests::kLongestSleepNs;
    }
  }
  own_card_.note_yield();
  if (how == Rests::How::kSleep) {
    bool may_sleep = true;
    Bells::Tickets tickets = announce_sleep(&may_sleep);
    if (!poll() && may_sleep) sleep(tickets, longest_sleep_ns);
    bells_.retract(tickets);
  } else {
    const bool meets_own_threads = team_.awake_followers() != 0 || team_.has_told();
    unlock();
    if (how == Rests::How::kNap) {
      nanosleep(&kShortest, nullptr);
      lock();
    } else {
      sched_yield();
      const std::int64_t back = now_ns();
      lock();
      if (!meets_own_threads) core_.note_yield(now, back);
    }
  }
  if (how != Rests::How::kYield) rests->end_rest(now_ns());
}

void Engine::let_others_on() {
  constexpr std::int64_t kNewRowNs = 1'000'000;
  const bool moved = poll();
  if (moved) {
    idle_calls_since_ns_ = 0;
    idle_rests_.end_row();
  }
  if (moved || mode_ == WaitMode::kSpin) return;
  const std::int64_t now = now_ns();
  if (idle_calls_since_ns_ == 0 || now - idle_call_ns_ > kNewRowNs) {
    idle_calls_since_ns_ = now;
    idle_rests_.end_row();
  }
  give_way(now, &idle_rests_, now - idle_calls_since_ns_);
  idle_call_ns_ = now_ns();
}

bool Engine::end_row(Looks& looks, std::size_t places) {
  if (mode_ == WaitMode::kSpin) {
    looks.found();
    return false;
  }
  Looks::Manner manner;
  manner.oversubscribed = mode_ != WaitMode::kAuto || core_.is_wanted();
  manner.polls = mode_ == WaitMode::kAuto ? polls_before_yield() : 1;
  manner.patience_ns = spin_ns_;
  if (!looks.needs_time(manner)) return false;
  const std::int64_t now = now_ns();
  if (looks.end_at(now, places, manner)) {
    give_way(now, &looks.rests(), looks.row_ns(now));
    looks.resume_at(now_ns());
  }
  return own_card_.goes_on(looks, now);
}

void Engine::add_bell(memory::Doorbell& bell) {
  bells_.add(bell);
  own_card_.set_flag(observe::StatusCard::kConnectedJobs);
  memory::wake(bells_.own());  // a sleeping thread has to watch the new bell, too
}

void Engine::remove_bell(memory::Doorbell& bell) {
  bells_.remove(bell);
  memory::wake(bells_.own());
}

void Engine::add_wake_source(transport::WakeSource& source) {
  if (!waker_) waker_ = std::make_unique<DescriptorWaker>(bells_.own());
  waker_->add(source);
}

void Engine::remove_wake_source(transport::WakeSource& source) {
  waker_->remove(source);
  if (sleeper_ != nullptr) sleeper_->forget(source);
}

Bells::Tickets Engine::announce_sleep(bool* may_sleep) {
  Bells::Tickets tickets = bells_.announce();
  tickets.joined = team_.joined();
  memory::barrier_everywhere();
  *may_sleep = !waker_ || waker_->arm();
  return tickets;
}

void Engine::sleep(Bells::Tickets& tickets, std::int64_t most_ns) {
  // Who follows since then may have begun what nobody has armed for.
  if (tickets.joined != team_.joined()) return;
  WaitTeam::Member* const leader = team_.pause();
  awake_.begin_sleep(tickets.own);
  awake_.look(team_.has_leader());
  unlock();
  // No launcher publishes the death of another job's process: JobConnection::poll looks for it in a job that goes on.
  constexpr std::int64_t kLookAgainNs = 20'000'000;
  const bool looks_again = most_ns < 0 && header_.survives != 0 && bells_.several();
  bells_.sleep(tickets, looks_again ? kLookAgainNs : most_ns);
  if (wakes_group_) wake_others(segment_, bells_.own());
  lock();
  awake_.end_sleep();
  team_.resume(leader);
  awake_.look(team_.has_leader());
}

void Engine::wake_own_threads() noexcept {
  team_.tell_followers();
  memory::Doorbell& bell = bells_.own();
  if (bell.sleeping.load(std::memory_order_relaxed) != 0) memory::wake(bell);
  // What has moved may have to be armed anew.
  if (DescriptorWatch* const sleeper = std::exchange(sleeper_, nullptr)) sleeper->stir();
}

}  // namespace starling::progress
