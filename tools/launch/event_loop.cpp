// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/event_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <vector>

#include "base/clock.hpp"

namespace starling::launch {

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

bool EventLoop::add(int descriptor, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) return false;
  handlers_[descriptor] = std::make_shared<Handler>(std::move(handler));
  return true;
}

bool EventLoop::on_readable(int descriptor, Handler handler) { return add(descriptor, EPOLLIN, std::move(handler)); }

bool EventLoop::on_writable(int descriptor, Handler handler) { return add(descriptor, EPOLLOUT, std::move(handler)); }

void EventLoop::remove(int descriptor) {
  if (handlers_.erase(descriptor) > 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

EventLoop::TimerId EventLoop::after(std::int64_t delay_ns, Handler handler) {
  timers_[next_timer_] = {now_ns() + delay_ns, std::move(handler)};
  return next_timer_++;
}

void EventLoop::cancel(TimerId timer) { timers_.erase(timer); }

int EventLoop::wait_ms() const {
  if (timers_.empty()) return -1;
  std::int64_t due_ns = timers_.begin()->second.due_ns;
  for (const auto& [id, timer] : timers_) due_ns = std::min(due_ns, timer.due_ns);
  const std::int64_t left_ms = (due_ns - now_ns() + 999'999) / 1'000'000;
  return static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 3'600'000));
}

void EventLoop::serve_timers() {
  std::vector<TimerId> due;
  const std::int64_t now = now_ns();
  for (const auto& [id, timer] : timers_) {
    if (timer.due_ns <= now) due.push_back(id);
  }
  for (const TimerId id : due) {
    if (auto found = timers_.find(id); found != timers_.end()) {
      const Handler handler = std::move(found->second.handler);
      timers_.erase(found);
      handler();
    }
  }
}

void EventLoop::run() {
  epoll_event events[64];
  while (!stopped_) {
    const int count = epoll_wait(epoll_.get(), events, std::size(events), wait_ms());
    for (int i = 0; i < count && !stopped_; ++i) {
      const auto found = handlers_.find(events[i].data.fd);
      if (found == handlers_.end()) continue;  // an earlier handler of this round removed it
      const std::shared_ptr<Handler> keep = found->second;
      (*keep)();
    }
    if (!stopped_) serve_timers();
  }
  stopped_ = false;
}

}  // namespace starling::launch
