// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SignalSource: blocked signals as events of the loop: through a signalfd, and where a sandbox refuses that, by looking
// a hundred times a second whether one is pending.
// Thread safety: none, for the event loop's thread. Invariants: the caller has blocked the signals.
#pragma once

#include <csignal>
#include <functional>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"

namespace starling::launch {

struct SignalEvent {
  int signal = 0;
  bool from_kernel = false;  ///< as from a terminal, which speaks to the whole foreground group
};

class SignalSource {
 public:
  using Handler = std::function<void(const SignalEvent&)>;

  SignalSource(EventLoop& loop, Handler handler) : loop_(loop), handler_(std::move(handler)) {}
  /// Begins to serve these signals. SIGCHLD may be served without one having come.
  void start(const sigset_t& signals);

 private:
  void read_all();
  void look();

  EventLoop& loop_;
  Handler handler_;
  Descriptor descriptor_;
  sigset_t signals_{};
};

}  // namespace starling::launch
