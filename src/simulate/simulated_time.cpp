// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_time.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/futex.hpp"

namespace starling {
namespace {

namespace s4u = simgrid::s4u;

thread_local bool is_simulated = false;
thread_local double ns_to_be_heard = 0;

constexpr double kNsPerSecond = 1e9;
/// Of the clock where the simulation begins, for a time of 0 often stands for none.
constexpr std::int64_t kBeginNs = 1'000'000'000;

constexpr double kYieldNs = 100;

/// A thread that sleeps on one word or several.
struct Sleeper {
  s4u::SemaphorePtr bell = s4u::Semaphore::create(0);
  bool is_woken = false;
  double late_ns = 0;  ///< it hears of what woke it so much later
};

/// Who sleeps on which word. Never destroyed: ranks may sleep to the end of the process.
std::unordered_multimap<const void*, Sleeper*>& sleepers() {
  static auto& all = *new std::unordered_multimap<const void*, Sleeper*>;
  return all;
}

void forget(const void* word, const Sleeper* sleeper) {
  const auto [first, last] = sleepers().equal_range(word);
  sleepers().erase(std::find_if(first, last, [&](const auto& each) { return each.second == sleeper; }));
}

}  // namespace

void futex_wait_any_for(std::span<const FutexWait> waits, std::int64_t timeout_ns) noexcept {
  const auto has_changed = [](const FutexWait& wait) { return wait.word->load() != wait.expected; };
  if (std::ranges::any_of(waits, has_changed)) return;
  Sleeper sleeper;
  for (const FutexWait& wait : waits) sleepers().emplace(wait.word, &sleeper);
  if (timeout_ns < 0) {
    sleeper.bell->acquire();
  } else {
    // One that ends between two nanoseconds would not have ended yet by the clock.
    sleeper.bell->acquire_timeout(static_cast<double>(timeout_ns + 1) / kNsPerSecond);
  }
  for (const FutexWait& wait : waits) forget(wait.word, &sleeper);
  simulate::spend_ns(sleeper.late_ns);
}

void futex_wait_any(std::span<const FutexWait> waits) noexcept { futex_wait_any_for(waits, -1); }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  const FutexWait wait{&word, expected};
  futex_wait_any_for(std::span(&wait, 1), timeout_ns);
}

int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  int woken = 0;
  const auto [first, last] = sleepers().equal_range(&word);
  std::vector<s4u::SemaphorePtr> bells;  // to ring one lets others run, who change the table
  for (auto each = first; each != last && woken < count; ++each) {
    if (each->second->is_woken) continue;
    each->second->is_woken = true;
    each->second->late_ns = ns_to_be_heard;
    bells.push_back(each->second->bell);
    ++woken;
  }
  for (const s4u::SemaphorePtr& bell : bells) bell->release();
  return woken;
}

namespace simulate {

InSimulatedTime::InSimulatedTime() noexcept { is_simulated = true; }
InSimulatedTime::~InSimulatedTime() { is_simulated = false; }

double set_ns_to_be_heard(double ns) noexcept { return std::exchange(ns_to_be_heard, ns); }

void spend_ns(double ns) {
  if (ns > 0) s4u::this_actor::sleep_for(ns / kNsPerSecond);
}

}  // namespace simulate
}  // namespace starling

/// Who yields waits for another, which needs time.
extern "C" int sched_yield() noexcept {
  if (!starling::is_simulated) return static_cast<int>(syscall(SYS_sched_yield));
  starling::simulate::spend_ns(starling::kYieldNs);
  return 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_MONOTONIC || !starling::is_simulated)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const auto ns = starling::kBeginNs +
                  static_cast<std::int64_t>(std::llround(simgrid::s4u::Engine::get_clock() * starling::kNsPerSecond));
  time->tv_sec = ns / 1'000'000'000;
  time->tv_nsec = ns % 1'000'000'000;
  return 0;
}
