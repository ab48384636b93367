// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>
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
/// Of a rank that stays in one call.
constexpr std::int64_t kLongestNapNs = 10'000'000;

}  // namespace

bool wants_progress_thread(const config::Store& config) { return config.get(progress_thread); }

ProgressThread::ProgressThread(Engine& engine, Locked locked)
    : engine_(engine), locked_(std::move(locked)), process_(getpid()) {
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::make_unique<std::thread>([this] { run(); });
  } catch (const std::system_error&) {
    thread_.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!thread_) return;
  pthread_setname_np(thread_->native_handle(), "starling-move");
  place();
}

ProgressThread::~ProgressThread() {
  if (thread_ && getpid() != process_) {
    static_cast<void>(thread_.release());  // a forked child: there is no such thread to wait for
  } else if (thread_) {
    stop_.store(1, std::memory_order_release);
    futex_wake(stop_, 1);
    memory::wake(engine_.segment().rank(engine_.local_rank()).doorbell);
    thread_->join();
  }
}

// A rank that is bound to one core computes there; the thread is of most use on another.
void ProgressThread::place() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const std::int32_t launcher = engine_.segment().header().launcher_pid;
  if (launcher == 0 || sched_getaffinity(launcher, sizeof cores, &cores) != 0) return;
  pthread_setaffinity_np(thread_->native_handle(), sizeof cores, &cores);
}

void ProgressThread::run() noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const observe::StatusCard& card = engine_.card();
  std::uint64_t seen = card.calls.load(kRelaxed);
  std::int64_t pause_ns = kShortestNapNs;
  while (!stopping()) {
    nap(pause_ns);
    if (computes_since(seen)) {
      stand_in(seen);
      pause_ns = kShortestNapNs;
    } else {
      const std::uint64_t calls = card.calls.load(kRelaxed);
      pause_ns = calls == seen ? std::min(2 * pause_ns, kLongestNapNs) : kShortestNapNs;
      seen = calls;
    }
  }
}

bool ProgressThread::computes_since(std::uint64_t calls) const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const observe::StatusCard& card = engine_.card();
  return card.calls.load(kRelaxed) == calls && card.call.load(kRelaxed) == 0;
}

void ProgressThread::stand_in(std::uint64_t calls) noexcept {
  memory::Doorbell& bell = engine_.segment().rank(engine_.local_rank()).doorbell;
  while (!stopping() && computes_since(calls)) {
    if (round(false)) continue;
    // As a wait falls asleep: announced first, then a last look (docs/design/progress.md, Why no wake-up is lost).
    const std::uint32_t ticket = bell.ticket.load(std::memory_order_acquire);
    bell.sleeping.fetch_add(1, std::memory_order_seq_cst);
    memory::barrier_everywhere();
    if (!round(true) && !stopping() && computes_since(calls)) futex_wait(bell.ticket, ticket, -1);
    bell.sleeping.fetch_sub(1, std::memory_order_relaxed);
  }
}

bool ProgressThread::round(bool arms) {
  return locked_([&] {
    if (engine_.poll()) return true;
    return arms && engine_.waker_ && !engine_.waker_->arm();
  });
}

void ProgressThread::nap(std::int64_t nanoseconds) noexcept {
  if (!stopping()) futex_wait(stop_, 0, nanoseconds);
}

}  // namespace starling::progress
