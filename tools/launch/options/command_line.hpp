// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of mpiexec into a JobSpec. Understands the options of the standard's mpiexec and the common
// ones of Open MPI and MPICH; what needs another library is refused with the reason. Thread safety: reads the
// environment (variables to hand down, Slurm's hosts) and host files.
#pragma once

#include <span>
#include <string>

#include "base/status.hpp"
#include "launch/options/job_spec.hpp"

namespace starling::launch {

/// Parses what stands after the name of the command. A failure's message is complete and starts with what is wrong.
Result<JobSpec> parse_command_line(std::span<const char* const> arguments);

/// The text of mpiexec -h.
[[nodiscard]] std::string usage();

/// What `mpiexec --list-options` prints, for the manual page and for the completion of shells: a line for each option,
/// of which tabs divide "mpiexec", "option", its names with commas, its values, what it does, and choices for its
/// value.
[[nodiscard]] std::string option_list();

}  // namespace starling::launch
