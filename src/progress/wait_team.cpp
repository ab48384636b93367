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
  return std::exchange(leader_, &member);
}

void WaitTeam::end_to_lead(Member* before) noexcept {
  leader_ = before;
  if (leader_ == nullptr && !followers_.empty()) tell(*followers_.front());
}

WaitTeam::Member* WaitTeam::pause() noexcept {
  return leading_thread_ == own_thread() ? std::exchange(leader_, nullptr) : nullptr;
}

void WaitTeam::resume(Member* leader) noexcept {
  if (leader_ != nullptr || leader == nullptr) return;
  leader_ = leader;
  leading_thread_ = own_thread();
}

void WaitTeam::begin_to_follow(Member& member) noexcept {
  member.told_.store(Member::kNothing, std::memory_order_relaxed);
  awake_followers_.fetch_add(1, std::memory_order_relaxed);
  followers_.push_back(member);
  ++joined_;
}

WaitTeam::Step WaitTeam::next_step(Member& member, const Patience& patience, bool is_crowded, Step step) noexcept {
  constexpr std::uint32_t kLooksPerStock = 32;
  const WaitMode mode = patience.mode;
  const bool spins = mode == WaitMode::kSpin || (mode == WaitMode::kAuto && !is_crowded);
  ++step.looks;
  if (spins) cpu_relax();
  if (spins && step.looks % kLooksPerStock != 0) return step;
  const std::int64_t now = now_ns();
  if (step.since_ns == 0) step.since_ns = now;
  const std::int64_t waited = now - step.since_ns;
  if (mode == WaitMode::kSpin || (spins && waited < patience.spin_ns)) return step;
  // It has nothing to poll: where somebody else needs the core it does not stay awake for long.
  const std::int64_t enough = spins ? patience.sleep_after_ns : patience.spin_ns;
  if (mode == WaitMode::kSleep || (mode == WaitMode::kAuto && waited >= enough)) {
    sleep(member, step);
  } else {
    sched_yield();
  }
  return step;
}

void WaitTeam::sleep(Member& member, Step& step) noexcept {
  std::uint32_t nothing = Member::kNothing;
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (!member.told_.compare_exchange_strong(nothing, Member::kSleeps, kRelaxed, kRelaxed)) return;
  step.has_slept = true;
  awake_followers_.fetch_sub(1, kRelaxed);
  while (member.follows()) futex_wait(member.told_, Member::kSleeps, -1);
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
  return has_told;
}

// From the exchange on the member may be gone.
void WaitTeam::tell(Member& member) noexcept {
  followers_.remove(member);
  std::atomic<std::uint32_t>& told = member.told_;
  if (told.exchange(Member::kToGoOn, std::memory_order_relaxed) == Member::kSleeps) futex_wake(told, 1);
}

}  // namespace starling::progress
