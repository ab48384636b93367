// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/launcher_settings.hpp"

#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

STARLING_CONFIG(
    launch_deadline_ms, "LAUNCH_DEADLINE_MS", std::int64_t, 30'000, kProcess, kProcess,
    "Milliseconds that each host of a job has for each step of its start: to be reached and answer mpiexec, "
    "and to find the programs and open ports; from 100 to 3600000.");
STARLING_CONFIG(
    rsh_agent, "RSH_AGENT", std::string, "", kProcess, kProcess,
    "The command by which mpiexec reaches other hosts, called as CMD HOST COMMAND..., as --rsh-agent says it; "
    "empty: ssh, or srun inside a Slurm allocation.");

}  // namespace

std::int64_t start_deadline_ms(const config::Store& config) { return config.get(launch_deadline_ms); }

Status check_start_deadline(const config::Store& config) {
  constexpr std::int64_t kLeast = 100;
  constexpr std::int64_t kMost = 3'600'000;
  const std::int64_t asked = start_deadline_ms(config);
  if (asked >= kLeast && asked <= kMost) return {};
  return Status::error(ErrorClass::kArg,
                       formatted("STARLING_LAUNCH_DEADLINE_MS={} is not possible: it takes {} to {} milliseconds",
                                 asked, kLeast, kMost));
}

const std::string& remote_shell(const config::Store& config) { return config.get(rsh_agent); }

}  // namespace starling::bootstrap
