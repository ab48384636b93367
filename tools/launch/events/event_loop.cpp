// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/events/event_loop.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace starling::launch {

namespace {

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT, "one set of events for both ways to wait");

/// Files, and devices without a way to wait such as /dev/null, are always ready; epoll refuses them.
bool is_always_ready(int descriptor) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return false;
  const bool device = S_ISCHR(file.st_mode) && isatty(descriptor) == 0;
  return S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) || S_ISBLK(file.st_mode) || device;
}

}  // namespace

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)), by_poll_(!epoll_.valid()) {}

bool EventLoop::add(int descriptor, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  if (is_always_ready(descriptor)) return false;
  if (!by_poll_ && epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    if (errno != EPERM && errno != ENOSYS) return false;
    by_poll_ = true;  // a sandbox: what is always ready has been sorted out above
  }
  handlers_[descriptor] = {events, std::make_shared<Handler>(std::move(handler))};
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
  // Several may be due at once when this process was held up.
  std::ranges::stable_sort(due, {}, [this](TimerId id) { return timers_.at(id).due_ns; });
  for (const TimerId id : due) {
    if (auto found = timers_.find(id); found != timers_.end()) {
      const Handler handler = std::move(found->second.handler);
      timers_.erase(found);
      handler();
    }
  }
}

void EventLoop::serve(int descriptor) {
  const auto found = handlers_.find(descriptor);
  if (stopped_ || found == handlers_.end()) return;  // an earlier handler of this round removed it
  const std::shared_ptr<Handler> keep = found->second.handler;
  (*keep)();
}

bool EventLoop::wait_by_epoll() {
  epoll_event events[64];
  const int count = epoll_wait(epoll_.get(), events, std::size(events), wait_ms());
  const bool good = count >= 0 || errno == EINTR;
  const std::span<const epoll_event> ready(events, static_cast<std::size_t>(std::max(count, 0)));
  const auto is_unknown = [this](const epoll_event& event) { return !handlers_.contains(event.data.fd); };
  if (std::ranges::any_of(ready, is_unknown)) watch_anew();
  for (const epoll_event& event : ready) serve(event.data.fd);
  return good;
}

/// The system goes on to tell of a file whose descriptor was closed here first and which another process has, too.
void EventLoop::watch_anew() {
  epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  by_poll_ = !epoll_.valid();
  for (const auto& [descriptor, watched] : handlers_) {
    epoll_event event{};
    event.events = watched.events;
    event.data.fd = descriptor;
    if (!by_poll_ && epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) by_poll_ = true;
  }
}

bool EventLoop::wait_by_poll() {
  std::vector<pollfd> watched;
  for (const auto& [descriptor, one] : handlers_) {
    watched.push_back({descriptor, static_cast<short>(one.events), 0});
  }
  const int count = poll(watched.data(), watched.size(), wait_ms());
  const bool good = count >= 0 || errno == EINTR;
  for (const pollfd& one : watched) {
    if (count > 0 && one.revents != 0) serve(one.fd);
  }
  return good;
}

bool EventLoop::run() {
  while (!stopped_) {
    // Refused for the first time: the other way from now on.
    if (!by_poll_ && !wait_by_epoll()) by_poll_ = true;
    if (by_poll_ && !stopped_ && !wait_by_poll()) return false;
    if (!stopped_) serve_timers();
  }
  stopped_ = false;
  return true;
}

}  // namespace starling::launch
