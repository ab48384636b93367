// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HostTraces: the trace of a job on several hosts: what each of them has recorded, and how far its clock is from ours.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/record/trace_file.hpp"

namespace starling::launch {

class HostTraces {
 public:
  /// Does nothing where no trace is wanted.
  Status begin(const JobSpec& spec, std::size_t hosts);
  [[nodiscard]] bool are_wanted() const noexcept { return trace_.is_wanted(); }

  /// A host has said what its clock is (ClockAnswer).
  void on_clock(std::int32_t host, std::string_view answer);
  /// The next piece of a host's log has come. false: it is damaged.
  [[nodiscard]] bool on_piece(std::int32_t host, std::string_view piece);

  /// The job is over; what the user should know of its trace, as whole lines.
  std::string finish(bool quiet) { return trace_.is_wanted() ? trace_.finish(quiet) : std::string(); }

 private:
  TraceFile trace_;
  std::map<std::int32_t, std::string> pieces_;  ///< by host, of a record that has not come whole
};

}  // namespace starling::launch
