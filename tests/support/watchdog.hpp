// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Watch: ends the process when a case takes too long, after saying which line the rank had reached.
//
// A blocked MPI call cannot be interrupted, so the process ends; the launcher then ends the job.
// Thread safety: each object belongs to one thread; the report reads atomics of the Job.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "support/cases.hpp"

namespace starling::tests {

class Watch {
 public:
  Watch(const Job& job, int timeout_s);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace starling::tests
