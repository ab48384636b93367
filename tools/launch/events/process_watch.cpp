// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/events/process_watch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace starling::launch {

ProcessWatch::~ProcessWatch() {
  if (pidfd_.valid()) loop_.remove(pidfd_.get());
  loop_.cancel(timer_);
}

void ProcessWatch::start(pid_t process, std::function<void()> ended) {
  process_ = process;
  ended_ = std::move(ended);
  pidfd_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd_.valid() || !loop_.on_readable(pidfd_.get(), [this] { report(); })) look();
}

void ProcessWatch::look() {
  constexpr std::int64_t kPauseNs = 100'000'000;
  const bool gone = kill(process_, 0) != 0 && errno == ESRCH;
  timer_ = gone ? loop_.after(0, [this] { report(); }) : loop_.after(kPauseNs, [this] { look(); });
}

void ProcessWatch::report() {
  if (pidfd_.valid()) loop_.remove(pidfd_.get());
  const std::function<void()> ended = std::move(ended_);
  if (ended) ended();
}

}  // namespace starling::launch
