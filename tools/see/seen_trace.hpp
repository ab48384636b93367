// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SeenTrace: what --trace and --report ask for of a job of another MPI: its rings are read while it runs, as those of
// Starling's own jobs (launch/record). It is of the first job that comes.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "launch/events/event_loop.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/record/ring_drain.hpp"
#include "launch/record/trace_file.hpp"
#include "see/seen_job.hpp"

namespace starling::see {

class SeenTrace {
 public:
  SeenTrace(launch::EventLoop& loop, launch::TraceRequest wanted) : loop_(loop), wanted_(std::move(wanted)) {}

  [[nodiscard]] bool is_wanted() const noexcept { return wanted_.wanted(); }
  /// How the next job's calls are recorded.
  [[nodiscard]] observe::TraceMode mode() const noexcept;
  /// A job has come, with rings for that.
  Status begin(std::shared_ptr<SeenJob> job);
  /// A rank of that job has left MPI and has used that.
  void tell_usage(const SeenJob& job, std::int32_t rank, const observe::UsageRecord& usage);
  /// The launcher has ended: writes the files. What the user should know, as whole lines.
  std::string finish(bool quiet);

 private:
  launch::EventLoop& loop_;
  launch::TraceRequest wanted_;
  std::shared_ptr<SeenJob> job_;  ///< that is recorded
  launch::TraceFile file_;
  std::optional<launch::RingDrain> drain_;
};

}  // namespace starling::see
