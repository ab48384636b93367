// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ProcessWatch: notices the end of a process that is not our child: by a pidfd, and where the kernel is too old for one
// or a sandbox refuses it, by looking ten times a second.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"

namespace starling::launch {

class ProcessWatch {
 public:
  explicit ProcessWatch(EventLoop& loop) noexcept : loop_(loop) {}
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Calls ended() once, from the loop, when the process has ended, or has already.
  void start(pid_t process, std::function<void()> ended);

 private:
  void look();
  void report();

  EventLoop& loop_;
  pid_t process_ = 0;
  std::function<void()> ended_;
  Descriptor pidfd_;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace starling::launch
