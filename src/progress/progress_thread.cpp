// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress_thread.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/futex.hpp"
#include "memory/doorbell.hpp"
#include "progress/descriptor_waker.hpp"

namespace starling::progress {
namespace {

STARLING_CONFIG(progress_thread, "PROGRESS_THREAD", bool, false, kWaiting, kProcess,
                "Whether a thread makes progress while the rank computes: transfers and nonblocking collectives go on, "
                "and revocations are passed on. Every call then takes a lock, as under MPI_THREAD_MULTIPLE.");

/// How long a rank has made no call before the thread stands in for it.
constexpr std::int64_t kShortestNapNs = 200'000;
/// Of a rank that is in another call at each look, and of one that stays in one.
constexpr std::int64_t kLongestNapBetweenCallsNs = 1'000'000;
constexpr std::int64_t kLongestNapNs = 10'000'000;

}  // namespace

bool wants_progress_thread(const config::Store& config) { return config.get(progress_thread); }

ProgressThread::ProgressThread(Engine& engine, Locked locked, Duty duty, std::int64_t core)
    : engine_(engine), locked_(std::move(locked)), duty_(duty), core_(core), process_(getpid()) {
  if (duty_ == Duty::kFarRanks && !watch_.open()) return;
  thread_ = start_helper(duty_ == Duty::kFarRanks ? "starling-far" : "starling-move", [this] { run(); });
  if (thread_) place_helper(*thread_, engine_.segment(), core_);
}

ProgressThread::~ProgressThread() {
  if (thread_ && getpid() != process_) {
    static_cast<void>(thread_.release());  // a forked child: there is no such thread to wait for
  } else if (thread_) {
    stop_.store(1, std::memory_order_release);
    futex_wake(stop_, 1);
    memory::wake(engine_.segment().rank(engine_.local_rank()).doorbell);
    if (duty_ == Duty::kFarRanks) watch_.stir();
    thread_->join();
  }
}

void ProgressThread::run() noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const observe::StatusCard& card = engine_.card();
  std::uint64_t seen = card.calls.load(kRelaxed);
  std::int64_t pause_ns = kShortestNapNs;
  while (!stopping()) {
    nap(pause_ns);
    const bool in_call = card.call.load(kRelaxed) != 0;
    const std::uint64_t calls = card.calls.load(kRelaxed);
    if (!in_call) {
      if (calls == seen) stand_in(seen);
      pause_ns = kShortestNapNs;
    } else {
      pause_ns = std::min(2 * pause_ns, calls == seen ? kLongestNapNs : kLongestNapBetweenCallsNs);
    }
    seen = card.calls.load(kRelaxed);
  }
  locked_([&] {
    engine_.sleeper_ = nullptr;
    return false;
  });
}

bool ProgressThread::computes_since(std::uint64_t calls) const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const observe::StatusCard& card = engine_.card();
  return card.calls.load(kRelaxed) == calls && card.call.load(kRelaxed) == 0;
}

void ProgressThread::stand_in(std::uint64_t calls) noexcept {
  while (!stopping() && computes_since(calls)) {
    if (round(Armed::kNowhere)) continue;
    if (duty_ == Duty::kFarRanks && !awaits_neighbours_) {
      sleep_on_watch(calls);
    } else {
      sleep_on_bell(calls);
    }
  }
}

// As a wait falls asleep: announced first, then a last look (docs/design/progress.md, Why no wake-up is lost).
void ProgressThread::sleep_on_bell(std::uint64_t calls) noexcept {
  memory::Doorbell& bell = engine_.segment().rank(engine_.local_rank()).doorbell;
  const std::uint32_t ticket = bell.ticket.load(std::memory_order_acquire);
  bell.sleeping.fetch_add(1, std::memory_order_seq_cst);
  memory::barrier_everywhere();
  if (!round(Armed::kBell) && !stopping() && computes_since(calls)) futex_wait(bell.ticket, ticket, -1);
  bell.sleeping.fetch_sub(1, std::memory_order_relaxed);
}

void ProgressThread::sleep_on_watch(std::uint64_t calls) noexcept {
  watch_.calm();
  if (!round(Armed::kWatch) && !awaits_neighbours_ && !stopping() && computes_since(calls)) watch_.wait();
}

bool ProgressThread::round(Armed armed) {
  return locked_([&] {
    engine_.sleeper_ = nullptr;
    const bool moved = duty_ == Duty::kFarRanks ? far_round() : engine_.poll();
    return moved || !arm(armed);
  });
}

bool ProgressThread::far_round() {
  bool moved = false;
  awaits_neighbours_ = false;
  if (engine_.header_.events.load(std::memory_order_relaxed) != engine_.events_seen_) moved = engine_.handle_events();
  for (std::size_t i = 0; Poller* const poller = engine_.pollers_[i]; ++i) {
    if (!poller->serves_far_ranks()) continue;
    moved |= poller->poll();
    awaits_neighbours_ |= poller->awaits_neighbours();
  }
  if (moved && engine_.threaded_) engine_.wake_own_threads();
  return moved;
}

bool ProgressThread::arm(Armed armed) {
  if (armed == Armed::kNowhere || !engine_.waker_) return true;
  if (armed == Armed::kBell) return engine_.waker_->arm();
  engine_.sleeper_ = &watch_;
  return watch_.arm(engine_.waker_->sources());
}

void ProgressThread::nap(std::int64_t nanoseconds) noexcept {
  if (!stopping()) futex_wait(stop_, 0, nanoseconds);
}

}  // namespace starling::progress
