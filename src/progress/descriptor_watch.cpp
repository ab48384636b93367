// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/descriptor_watch.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace starling::progress {
namespace {

// What an event of the epoll object stands for.
constexpr std::uint32_t kStir = 0;
constexpr std::uint32_t kSource = 1;

epoll_event event_of(std::uint32_t events, std::uint32_t kind) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.u32 = kind;
  return event;
}

}  // namespace

DescriptorWatch::~DescriptorWatch() {
  for (const int descriptor : {epoll_, stirred_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

bool DescriptorWatch::open() {
  if (epoll_ < 0) epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (stirred_ < 0) stirred_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || stirred_ < 0) return false;
  epoll_event stir = event_of(EPOLLIN, kStir);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, stirred_, &stir) != 0 && errno != EEXIST) return false;
  process_ = getpid();
  return true;
}

bool DescriptorWatch::arm(std::span<transport::WakeSource* const> sources) {
  return std::ranges::all_of(
      sources, [this](transport::WakeSource* source) { return source->arm() && watch(source->descriptor()); });
}

bool DescriptorWatch::watch(int descriptor) const noexcept {
  epoll_event event = event_of(EPOLLIN | EPOLLONESHOT, kSource);
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
  return errno == ENOENT && epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void DescriptorWatch::forget(const transport::WakeSource& source) noexcept {
  if (process_ == getpid()) epoll_ctl(epoll_, EPOLL_CTL_DEL, source.descriptor(), nullptr);
}

DescriptorWatch::Woken DescriptorWatch::wait() noexcept {
  while (true) {
    epoll_event event{};
    const int found = epoll_wait(epoll_, &event, 1, -1);
    if (found == 1) return event.data.u32 == kStir ? Woken::kStirred : Woken::kByDescriptor;
    if (found < 0 && errno != EINTR) return Woken::kFailed;
  }
}

void DescriptorWatch::stir() noexcept { eventfd_write(stirred_, 1); }

void DescriptorWatch::calm() noexcept {
  eventfd_t value = 0;
  eventfd_read(stirred_, &value);
}

}  // namespace starling::progress
