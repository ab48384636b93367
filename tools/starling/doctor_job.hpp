// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling doctor JOB: watches a running job for some seconds and says what keeps it slow, and what to do.
// Thread safety: for single-threaded processes.
#pragma once

#include <string>

namespace starling::tools {

/// The exit status of the command: 0 where something could be said of the job.
[[nodiscard]] int examine_job(const std::string& name, double seconds);

}  // namespace starling::tools
