// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/agent_loop.hpp"

#include <sched.h>

#include "base/clock.hpp"
#include "base/futex.hpp"

namespace starling::rma {
namespace {

/// Active messages come in rows, and a wake costs more than most of them.
constexpr std::int64_t kIdleNs = 30'000;

}  // namespace

void AgentLoop::run() noexcept {
  std::int64_t last_ns = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (handler_.serve(segment_)) {
      last_ns = now_ns();
    } else if (now_ns() - last_ns < kIdleNs) {
      sched_yield();
    } else {
      sleep_until_asked();
    }
  }
}

void AgentLoop::stop() noexcept {
  stopping_.store(true, std::memory_order_seq_cst);
  handler_.agent_wakes.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(handler_.agent_wakes, 1);
}

void AgentLoop::wake(TargetHandler& handler) noexcept {
  // seq_cst here and in sleep_until_asked: either this sees the sleeper, or the sleeper sees the active message.
  if (handler.agent_asleep.load(std::memory_order_seq_cst) == 0) return;
  handler.agent_wakes.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(handler.agent_wakes, 1);
}

void AgentLoop::sleep_until_asked() noexcept {
  const std::uint32_t wakes = handler_.agent_wakes.load(std::memory_order_seq_cst);
  handler_.agent_asleep.store(1, std::memory_order_seq_cst);
  const bool asked = handler_.state.load(std::memory_order_seq_cst) == TargetHandler::kAsked;
  if (!asked && !stopping_.load(std::memory_order_seq_cst)) futex_wait(handler_.agent_wakes, wakes, -1);
  handler_.agent_asleep.store(0, std::memory_order_relaxed);
}

}  // namespace starling::rma
