// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/helper_thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <csignal>
#include <system_error>
#include <utility>

namespace starling::progress {

std::unique_ptr<std::thread> start_helper(const char* name, std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<std::thread> helper;
  try {
    helper = std::make_unique<std::thread>(std::move(body));
  } catch (const std::system_error&) {
    helper.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (helper) pthread_setname_np(helper->native_handle(), name);
  return helper;
}

void place_helper(std::thread& helper, const memory::JobSegment& segment, std::int64_t core) noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (core != kAnyCore) {
    CPU_SET(static_cast<std::size_t>(core), &cores);
  } else {
    const std::int32_t launcher = segment.header().launcher_pid;
    if (launcher == 0 || sched_getaffinity(launcher, sizeof cores, &cores) != 0) return;
  }
  pthread_setaffinity_np(helper.native_handle(), sizeof cores, &cores);
}

}  // namespace starling::progress
