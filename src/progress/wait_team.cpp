// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/wait_team.hpp"

#include <sched.h>

#include <utility>

#include "base/clock.hpp"
#include "base/cpu.hpp"
#include "base/futex.hpp"
#include "base/own_thread.hpp"

namespace starling::progress {

bool WaitTeam::may_lead() const noexcept { return leader_ == nullptr || leading_thread_ == own_thread(); }

WaitTeam::Member* WaitTeam::begin_to_lead(Member& member) noexcept {
  leading_thread_ = own_thread();
  if (const std::int64_t left = left_ns_.load(std::memory_order_relaxed); left != 0) {
    comes_back_soon_ = now_ns() - left <= soon_ns_;
    left_ns_.store(0, std::memory_order_relaxed);
  }
  return std::exchange(leader_, &member);
}

void WaitTeam::end_to_lead(Member* before, bool waits_on) noexcept {
  leader_ = before;
  if (leader_ == nullptr && (waits_on || !followers_.empty())) left_ns_.store(now_ns(), std::memory_order_relaxed);
}

// The fence: either a follower that falls asleep sees the departure, or it is seen to sleep.
void WaitTeam::find_leader() noexcept {
  departures_.store(departures_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Member& next = *followers_.front();
  if (!comes_back_soon_ || next.told_.load(std::memory_order_relaxed) == Member::kSleeps) tell(next);
}

bool WaitTeam::told_should_go_first(std::uint32_t rounds) noexcept {
  if (rounds == 1) {
    const std::int64_t now = now_ns();
    if (told_since_ns_ == 0) told_since_ns_ = now;
    if (now - told_since_ns_ > kTurnNs) return true;
  }
  const bool tries = vain_turns_ < kVainTurns || vain_turns_ % kTurnsPerTry == 0;
  if (tries && rounds < kRoundsInVain) return false;
  ++vain_turns_;
  return true;
}

WaitTeam::Member* WaitTeam::pause() noexcept {
  return leading_thread_ == own_thread() ? std::exchange(leader_, nullptr) : nullptr;
}

void WaitTeam::resume(Member* leader) noexcept {
  if (leader_ != nullptr || leader == nullptr) return;
  leader_ = leader;
  leading_thread_ = own_thread();
  left_ns_.store(0, std::memory_order_relaxed);
}

void WaitTeam::begin_to_follow(Member& member) noexcept {
  member.told_.store(Member::kNothing, std::memory_order_relaxed);
  awake_followers_.fetch_add(1, std::memory_order_relaxed);
  followers_.push_back(member);
  ++joined_;
}

void WaitTeam::end_to_follow(Member& member, const Step& step) noexcept {
  const bool is_told = !member.follows();
  if (is_told || !step.has_slept) awake_followers_.fetch_sub(1, std::memory_order_relaxed);
  if (!is_told) {
    followers_.remove(member);
    member.told_.store(Member::kToGoOn, std::memory_order_relaxed);
  } else if (--told_ == 0) {
    told_since_ns_ = 0;
  }
}

WaitTeam::Step WaitTeam::next_step(Member& member, const Patience& patience, bool is_crowded, Step step) noexcept {
  constexpr std::uint32_t kLooksPerStock = 32;
  constexpr std::uint32_t kLooksInCrowd = 8;  // time passes for who does not run, too
  const WaitMode mode = patience.mode;
  const bool spins = mode == WaitMode::kSpin || (mode == WaitMode::kAuto && !is_crowded);
  ++step.looks;
  if (spins) cpu_relax();
  if (spins && step.looks % kLooksPerStock != 0) return step;
  const std::int64_t now = now_ns();
  if (step.since_ns == 0) step.since_ns = now;
  const std::int64_t waited = now - step.since_ns;
  step.misses_leader = lacks_leader(now);
  if (step.misses_leader || mode == WaitMode::kSpin || (spins && waited < patience.spin_ns)) return step;
  // It has nothing to poll: where somebody else needs the core it does not stay awake for long.
  const std::int64_t enough = spins ? patience.sleep_after_ns : patience.spin_ns;
  const bool is_enough = waited >= enough && (spins || step.looks >= kLooksInCrowd);
  if (mode == WaitMode::kSleep || (mode == WaitMode::kAuto && is_enough)) {
    sleep(member, step);
  } else {
    sched_yield();
  }
  return step;
}

void WaitTeam::sleep(Member& member, Step& step) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  // acquire: when the last departure was is known with it.
  const std::uint32_t departures = departures_.load(std::memory_order_acquire);
  const bool naps = std::exchange(step.departures, departures) != departures || left_ns_.load(kRelaxed) != 0;
  const std::uint32_t state = naps ? Member::kNaps : Member::kSleeps;
  if (!member.told_.compare_exchange_strong(step.word, state, kRelaxed, kRelaxed)) return;
  step.word = state;
  if (!std::exchange(step.has_slept, true)) awake_followers_.fetch_sub(1, kRelaxed);
  if (naps) {
    futex_wait(member.told_, state, kNapNs);
    return;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (departures_.load(kRelaxed) != departures) return;
  while (member.follows()) futex_wait(member.told_, state, -1);
}

bool WaitTeam::tell_those_who_may_go_on() noexcept {
  bool has_told = false;
  Member* next = nullptr;
  for (Member* member = followers_.front(); member != nullptr; member = next) {
    next = followers_.next(*member);
    if (!member->condition_()) continue;
    tell(*member);
    has_told = true;
  }
  if (has_told) leave();  // the one that watched may be among them
  return has_told;
}

// From the exchange on the member may be gone.
void WaitTeam::tell(Member& member) noexcept {
  followers_.remove(member);
  ++told_;
  ++tells_;
  std::atomic<std::uint32_t>& told = member.told_;
  if (told.exchange(Member::kToGoOn, std::memory_order_relaxed) == Member::kNothing) return;
  awake_followers_.fetch_add(1, std::memory_order_relaxed);
  futex_wake(told, 1);
}

}  // namespace starling::progress
