// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Origin: where a spawned job comes from, as its launcher sees it: the rank that asked for it, and the segment where
// the two jobs meet. While the two are connected, each of them takes the other along when it fails.
//
// Thread safety: for single-threaded processes; watch() belongs to the event loop's.
// Invariants: a failure is reported into the meeting once, with its text.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "bootstrap/dynamic/spawn_request.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/events/process_watch.hpp"
#include "launch/options/job_spec.hpp"

namespace starling::launch {

class Origin {
 public:
  /// Reads the request that a rank handed down under this number, and opens its meeting.
  static Result<std::unique_ptr<Origin>> open(int descriptor);

  [[nodiscard]] const bootstrap::SpawnRequest& request() const noexcept { return request_; }
  /// The job that is asked for, as a command line would ask. Its hosts are settled: none where all is on this machine.
  [[nodiscard]] Result<JobSpec> spec() const;

  /// Calls gone() when the rank that asked has died and is still connected with this job.
  void watch(EventLoop& loop, std::function<void()> gone);
  /// Tells the other job that this one has failed, or could not begin; nothing happens once they are not connected.
  void report(const std::string& text);
  /// The same, once. Whether the other job still waits for this one to come, so that what it says of it is enough.
  bool tell(const std::string& why);
  /// Whether the first of its processes has been at the meeting.
  [[nodiscard]] bool job_has_come() const;
  /// The job is over: if it never came to the meeting, the other one waits for it.
  void job_is_over();

 private:
  Origin(bootstrap::SpawnRequest request, std::unique_ptr<memory::JobSegment> meeting)
      : request_(std::move(request)), meeting_(std::move(meeting)) {}
  [[nodiscard]] bool connected() const;

  bootstrap::SpawnRequest request_;
  std::unique_ptr<memory::JobSegment> meeting_;
  std::unique_ptr<ProcessWatch> parent_;
  bool is_told_ = false;
};

/// The launchers of spawned jobs among our descendants: the job that asked for them may be over before they are.
[[nodiscard]] std::vector<pid_t> spawned_launchers();

}  // namespace starling::launch
