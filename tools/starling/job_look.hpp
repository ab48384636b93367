// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A look at all ranks of a running job, on this machine and on others.
// Thread safety: for single-threaded processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "observe/job/found_job.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::tools {

struct JobLook {
  observe::Snapshot snapshot;
  std::vector<std::string> problems;  ///< a sentence for each node that has not answered
};

/// Takes 20 ms, 40 ms over hosts, and with patience goes on until all ranks that wait were quiet.
[[nodiscard]] Result<JobLook> look_at(const observe::FoundJob& job, std::int64_t patience_ns);

/// Adds to the snapshot where the first of these ranks are in their programs, as far as they run code of their own. The
/// ranks are stopped for some milliseconds. Returns why that was impossible for one, or nothing.
[[nodiscard]] std::string add_positions(const observe::FoundJob& job, observe::Snapshot& snapshot,
                                        const std::vector<std::int32_t>& ranks);

}  // namespace starling::tools
