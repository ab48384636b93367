// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "signal_count.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <starling/array/core.hpp>

#include "base/format.hpp"

namespace starling::array::detail {

namespace {

constexpr int kSignals = 65;  // of Linux, from 1 on
// Of the process, as signals are: a handler has nothing else to hold on to.
std::array<std::atomic<unsigned>, kSignals> came{};
static_assert(std::atomic<unsigned>::is_always_lock_free, "a handler may wait for nobody");

void note(int signal) { came[static_cast<std::size_t>(signal)].fetch_add(1, std::memory_order_relaxed); }

}  // namespace

void SignalCount::watch(int signal) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  if (signal <= 0 || signal >= kSignals || sigaction(signal, &action, nullptr) != 0) {
    throw Error(formatted("signal {} cannot be watched: take one such as SIGUSR1", signal));
  }
  before_ = came[static_cast<std::size_t>(signal)].load(std::memory_order_relaxed);
  signal_ = signal;
}

unsigned SignalCount::count() const {
  return signal_ == 0 ? 0 : came[static_cast<std::size_t>(signal_)].load(std::memory_order_relaxed) - before_;
}

}  // namespace starling::array::detail
