// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A job of this program that measures something for 'starling tune', and signals that end it.
// Thread safety: for single-threaded processes.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace starling::tools {

/// From here on SIGINT, SIGTERM and SIGHUP end the job that measures instead of this process.
void end_tuning_by_signals();
/// The signal that has come; 0: none.
[[nodiscard]] int signal_of_tuning() noexcept;

/// Runs mpiexec with these options for a job of ranks that measure, by words for them; what rank 0 has printed. An
/// error is what mpiexec has said, in a line.
[[nodiscard]] Result<std::string> run_tune_job(const std::vector<std::string>& options, int limit_s,
                                               const std::vector<std::string>& probe);

}  // namespace starling::tools
