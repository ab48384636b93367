// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/descriptor_waker.hpp"

#include <unistd.h>

#include <algorithm>

#include "progress/helper_thread.hpp"

namespace starling::progress {

DescriptorWaker::~DescriptorWaker() {
  if (thread_ && getpid() != process_) {
    static_cast<void>(thread_.release());  // a forked child: there is no such thread to wait for
  } else if (thread_) {
    watch_.stir();
    thread_->join();
  }
}

void DescriptorWaker::remove(transport::WakeSource& source) {
  sources_.erase(std::find(sources_.begin(), sources_.end(), &source));
  if (thread_) watch_.forget(source);
}

bool DescriptorWaker::arm() {
  if (sources_.empty()) return true;
  if (!thread_ && !start()) return false;
  return watch_.arm(sources_);
}

bool DescriptorWaker::start() {
  if (!watch_.open()) return false;
  process_ = getpid();
  thread_ = start_helper("starling-waker", [this] { run(); });
  return thread_ != nullptr;
}

void DescriptorWaker::run() noexcept {
  while (watch_.wait() == DescriptorWatch::Woken::kByDescriptor) memory::wake(bell_);
}

}  // namespace starling::progress
