// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/launcher_settings.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

STARLING_CONFIG(
    launch_deadline_ms, "LAUNCH_DEADLINE_MS", std::int64_t, 30'000, kProcess, kProcess,
    "Milliseconds that each host of a job has for each step of its start: to be reached and answer mpiexec, "
    "and to find the programs and open ports. A process of the launcher that says nothing for so long counts as dead, "
    "though its machine answers or the job has not started yet. From 100 to 3600000.");
STARLING_CONFIG(
    rsh_agent, "RSH_AGENT", std::string, "", kProcess, kProcess,
    "The command by which mpiexec reaches other hosts, called as CMD HOST COMMAND..., as --rsh-agent says it; "
    "empty: ssh, or srun inside a Slurm allocation.");
STARLING_CONFIG(
    launch_on_deadlock, "LAUNCH_ON_DEADLOCK", std::string, "say", kProcess, kProcess,
    "What mpiexec does when ranks wait for each other for ever: say (a note on standard error), end (end the "
    "job with status 125 once that is proven) or nothing; --on-deadlock says the same.");
STARLING_CONFIG(launch_note_after_ms, "LAUNCH_NOTE_AFTER_MS", std::int64_t, 60'000, kProcess, kProcess,
                "Milliseconds that a rank may keep others waiting, outside MPI or in a loop of tests, before mpiexec "
                "says so; 0: it never does. --note-after says the same in seconds.");
STARLING_CONFIG(launch_still_after_ms, "LAUNCH_STILL_AFTER_MS", std::int64_t, 10'000, kProcess, kProcess,
                "Milliseconds after which mpiexec says that all ranks wait in MPI and nothing completes, or that ranks "
                "seem to wait for each other where that cannot be proven.");

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

const std::string& on_deadlock(const config::Store& config) { return config.get(launch_on_deadlock); }

std::int64_t note_after_ms(const config::Store& config) {
  return std::max<std::int64_t>(config.get(launch_note_after_ms), 0);
}

std::int64_t still_after_ms(const config::Store& config) {
  return std::max<std::int64_t>(config.get(launch_still_after_ms), 1);
}

}  // namespace starling::bootstrap
