// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The part of 'starling doctor' about several hosts: the remote shell to each, Starling there, and connections between
// each two. Thread safety: starts processes and waits for them.
#pragma once

#include <string>
#include <vector>

namespace starling::tools {

/// `host_options` are words that mpiexec takes: --host a,b --rsh-agent CMD. Prints a line for each finding; the exit
/// status: 0, 1 when a job on these hosts cannot run, 2 when the words are wrong.
int check_hosts_for_job(const std::vector<std::string>& host_options);

}  // namespace starling::tools
