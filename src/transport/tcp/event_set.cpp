// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/event_set.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.hpp"

namespace starling::transport::tcp {

Result<EventSet> EventSet::create() {
  EventSet set;
  set.epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  set.timer_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!set.epoll_.valid() || !set.timer_.valid() ||
      !set.add(set.timer_.get(), Watch::kReading, {EventOf::Kind::kTimer})) {
    return Status::error(ErrorClass::kOther,
                         formatted("sockets to other nodes cannot be watched: {}", std::strerror(errno)));
  }
  return set;
}

bool EventSet::control(int operation, int socket, Watch watch, EventOf about) noexcept {
  epoll_event event{};
  if (watch != Watch::kNothing) event.events = watch == Watch::kBoth ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = (std::uint64_t{static_cast<std::uint8_t>(about.kind)} << 40) | (std::uint64_t{about.attempt} << 32) |
                   static_cast<std::uint32_t>(about.number);
  return epoll_ctl(epoll_.get(), operation, socket, &event) == 0;
}

bool EventSet::add(int socket, Watch watch, EventOf about) noexcept {
  return control(EPOLL_CTL_ADD, socket, watch, about);
}

bool EventSet::change(int socket, Watch watch, EventOf about) noexcept {
  return control(EPOLL_CTL_MOD, socket, watch, about);
}

std::span<const epoll_event> EventSet::ready() noexcept {
  const int found = epoll_wait(epoll_.get(), events_, kMostAtOnce, 0);
  return {events_, static_cast<std::size_t>(std::max(found, 0))};
}

EventOf EventSet::about(const epoll_event& event) noexcept {
  return {static_cast<EventOf::Kind>(event.data.u64 >> 40), static_cast<std::uint8_t>(event.data.u64 >> 32),
          static_cast<std::int32_t>(static_cast<std::uint32_t>(event.data.u64))};
}

bool EventSet::is_ready() const noexcept {
  epoll_event event{};
  return epoll_wait(epoll_.get(), &event, 1, 0) == 1;
}

void EventSet::set_timer(std::int64_t due_ns) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  itimerspec time{};
  if (due_ns != INT64_MAX) {
    const std::int64_t due = std::max<std::int64_t>(due_ns, 1);  // 0 would stop the timer
    time.it_value.tv_sec = due / kSecond;
    time.it_value.tv_nsec = due % kSecond;
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

}  // namespace starling::transport::tcp
