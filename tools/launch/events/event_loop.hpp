// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One thread that sleeps until a descriptor is ready or a time has come, and then calls whoever asked for it. It waits
// by epoll, and where a sandbox refuses that, by poll. Thread safety: none, one thread only. Invariants: a handler may
// remove any descriptor, also its own, while it runs. A descriptor that was closed before it was removed costs no time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/descriptor.hpp"

namespace starling::launch {

class EventLoop {
 public:
  using Handler = std::function<void()>;
  using TimerId = std::uint64_t;

  EventLoop();

  /// Calls handler whenever the descriptor can be read (or has ended). false: this kind cannot be waited for.
  bool on_readable(int descriptor, Handler handler);
  /// Calls handler whenever the descriptor can be written. false: this kind is always writable (a regular file).
  bool on_writable(int descriptor, Handler handler);
  void remove(int descriptor);

  /// Calls handler once, after delay_ns.
  TimerId after(std::int64_t delay_ns, Handler handler);
  void cancel(TimerId timer);

  /// Waits for events and serves them until stop() is called; may be called again. False, with errno, when the kernel
  /// lets us wait in no way at all.
  [[nodiscard]] bool run();
  void stop() noexcept { stopped_ = true; }

 private:
  struct Timer {
    std::int64_t due_ns;
    Handler handler;
  };
  struct Watched {
    std::uint32_t events;
    std::shared_ptr<Handler> handler;
  };
  bool add(int descriptor, std::uint32_t events, Handler handler);
  void serve(int descriptor);
  /// Each waits once and serves what is ready; false: refused.
  bool wait_by_epoll();
  bool wait_by_poll();
  /// Forgets what is known to the system and to nobody else.
  void watch_anew();
  [[nodiscard]] int wait_ms() const;
  void serve_timers();

  Descriptor epoll_;
  bool by_poll_ = false;
  std::map<int, Watched> handlers_;
  std::map<TimerId, Timer> timers_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace starling::launch
