// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TraceFile: what --trace and --report ask for: the log while the job runs, and the files that it becomes.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <string>

#include "launch/options/job_spec.hpp"
#include "launch/record/event_log_file.hpp"

namespace starling::launch {

/// The job of a trace.
struct TracedJob {
  std::uint32_t ranks = 1;
  std::uint32_t nodes = 1;
  std::uint64_t flags = 0;  ///< of observe::LogHead::Flag
};

class TraceFile {
 public:
  /// Begins the log beside the file.
  Status begin(const TraceRequest& wanted, const TracedJob& job);
  [[nodiscard]] bool is_wanted() const noexcept { return log_.exists(); }
  [[nodiscard]] EventLogFile& log() noexcept { return log_; }

  /// The job is over: makes the log into the trace. What the user should know of it, as whole lines.
  std::string finish(bool quiet);

 private:
  std::string file_;
  std::string report_;
  std::string log_path_;
  EventLogFile log_;
};

}  // namespace starling::launch
