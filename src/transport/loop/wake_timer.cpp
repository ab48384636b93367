// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loop/wake_timer.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling::transport::loop {

WakeTimer::~WakeTimer() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status WakeTimer::open() {
  descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (descriptor_ >= 0) return {};
  return Status::error(ErrorClass::kOther,
                       formatted("no timer could be opened for a simulated network: {}", std::strerror(errno)));
}

void WakeTimer::set(std::int64_t due_ns) noexcept {
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  const std::int64_t due = std::max<std::int64_t>(due_ns, 1);  // 0 would stop the timer
  itimerspec time{};
  time.it_value.tv_sec = due / kNanosecondsPerSecond;
  time.it_value.tv_nsec = due % kNanosecondsPerSecond;
  timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &time, nullptr);
}

void WakeTimer::clear() noexcept {
  const itimerspec stopped{};
  timerfd_settime(descriptor_, 0, &stopped, nullptr);
}

}  // namespace starling::transport::loop
