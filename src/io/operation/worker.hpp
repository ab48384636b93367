// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Worker: the thread of a rank that waits for the disk while the rank does something else. Started by the first job.
//
// Thread safety: post() from any thread; jobs run one after the other in the order in which they were posted.
// Invariants: after each job the rank's doorbell is rung, so that a sleeping wait looks again; the destructor lets the
// posted jobs end.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/id.hpp"
#include "io/operation/job.hpp"
#include "memory/job_segment.hpp"

namespace starling::io {

class Worker {
 public:
  Worker(memory::JobSegment& segment, LocalRank rank) noexcept : segment_(segment), rank_(rank) {}
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The job runs at once, in the caller, where no thread can be started.
  void post(Job& job);

 private:
  bool start();
  void run();
  void finish(Job& job);

  memory::JobSegment& segment_;
  LocalRank rank_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Job*> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace starling::io
