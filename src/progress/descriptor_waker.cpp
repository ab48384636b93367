// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/descriptor_waker.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace starling::progress {
namespace {

// What an event of the epoll object stands for.
constexpr std::uint32_t kStop = 0;
constexpr std::uint32_t kSource = 1;

epoll_event event_of(std::uint32_t events, std::uint32_t kind) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.u32 = kind;
  return event;
}

/// Null when the system has no thread left.
template <typename Body>
std::unique_ptr<std::thread> start_without_signals(Body body) {
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<std::thread> thread;
  try {
    thread = std::make_unique<std::thread>(body);
  } catch (const std::system_error&) {
    thread.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (thread) pthread_setname_np(thread->native_handle(), "starling-waker");
  return thread;
}

}  // namespace

DescriptorWaker::~DescriptorWaker() {
  if (thread_ && getpid() != process_) {
    static_cast<void>(thread_.release());  // a forked child: there is no such thread to wait for
  } else if (thread_) {
    eventfd_write(stop_, 1);
    thread_->join();
  }
  for (const int descriptor : {epoll_, stop_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void DescriptorWaker::remove(transport::WakeSource& source) {
  sources_.erase(std::find(sources_.begin(), sources_.end(), &source));
  // A forked child has the same epoll object as its parent, which goes on using it.
  if (thread_ && getpid() == process_) epoll_ctl(epoll_, EPOLL_CTL_DEL, source.descriptor(), nullptr);
}

bool DescriptorWaker::arm() {
  if (sources_.empty()) return true;
  if (!thread_ && !start()) return false;
  return std::all_of(sources_.begin(), sources_.end(),
                     [this](transport::WakeSource* source) { return source->arm() && watch(*source); });
}

bool DescriptorWaker::start() {
  if (epoll_ < 0) epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (stop_ < 0) stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || stop_ < 0) return false;
  epoll_event stop = event_of(EPOLLIN, kStop);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, stop_, &stop) != 0 && errno != EEXIST) return false;
  process_ = getpid();
  thread_ = start_without_signals([this] { run(); });
  return thread_ != nullptr;
}

bool DescriptorWaker::watch(const transport::WakeSource& source) const {
  epoll_event event = event_of(EPOLLIN | EPOLLONESHOT, kSource);
  const int descriptor = source.descriptor();
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
  return errno == ENOENT && epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void DescriptorWaker::run() noexcept {
  while (true) {
    epoll_event event{};
    const int found = epoll_wait(epoll_, &event, 1, -1);
    if (found < 0 && errno != EINTR) return;
    if (found != 1) continue;
    if (event.data.u32 == kStop) return;
    memory::wake(bell_);
  }
}

}  // namespace starling::progress
