// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// DescriptorWaker: lets descriptors wake a rank that sleeps on its doorbell. A rank can sleep on futex words or on
// descriptors, not on both; so a helper thread, parked in epoll_wait, rings the rank's own doorbell when a descriptor
// becomes readable. A descriptor counts once for each arm(), so while the rank is awake the thread sleeps, whatever the
// descriptors do.
//
// Thread safety: the world's lock; the helper thread touches the doorbell and the kernel's objects only.
// Invariants: no thread before the first arm() with a source; the thread takes no signal; in a forked child, which has
// no such thread, the object only lets go of its memory.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "memory/doorbell.hpp"
#include "progress/descriptor_watch.hpp"
#include "transport/wake_source.hpp"

namespace starling::progress {

class DescriptorWaker {
 public:
  /// The bell of the rank, which outlives the waker.
  explicit DescriptorWaker(memory::Doorbell& bell) noexcept : bell_(bell) {}
  ~DescriptorWaker();
  DescriptorWaker(const DescriptorWaker&) = delete;
  DescriptorWaker& operator=(const DescriptorWaker&) = delete;

  /// A source outlives its place here.
  void add(transport::WakeSource& source) { sources_.push_back(&source); }
  void remove(transport::WakeSource& source);
  [[nodiscard]] std::span<transport::WakeSource* const> sources() const noexcept { return sources_; }

  /// The rank is about to sleep and has read its doorbell's ticket: from now on the bell is rung when a source has
  /// something. False: the rank must not sleep, because a source has something already or cannot be watched.
  [[nodiscard]] bool arm();

 private:
  bool start();
  void run() noexcept;

  memory::Doorbell& bell_;
  std::vector<transport::WakeSource*> sources_;
  DescriptorWatch watch_;  ///< stirred: the thread ends
  pid_t process_ = 0;
  std::unique_ptr<std::thread> thread_;
};

}  // namespace starling::progress
