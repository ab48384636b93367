// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/watchdog.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace starling::tests {
namespace {

constexpr int kExitStuck = 70;
constexpr auto kTimeForOtherReports = std::chrono::seconds(1);

}  // namespace

Watch::Watch(const Job& job, int timeout_s) {
  thread_ = std::thread([this, &job, timeout_s] {
    std::unique_lock lock(mutex_);
    if (done_changed_.wait_for(lock, std::chrono::seconds(timeout_s), [this] { return done_; })) return;
    const char* slash = std::strrchr(job.file(), '/');
    std::fprintf(stderr, "rank %d of %d is stuck in \"%s\" for %d s, after %s:%d\n", job.rank, job.size, job.case_name,
                 timeout_s, slash ? slash + 1 : job.file(), job.line());
    std::this_thread::sleep_for(kTimeForOtherReports);
    _exit(kExitStuck);
  });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  done_changed_.notify_one();
  thread_.join();
}

}  // namespace starling::tests
