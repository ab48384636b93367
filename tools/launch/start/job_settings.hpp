// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the STARLING_ variables ask of a job, for the launcher of all its ranks or of those of a node.
// Thread safety: reads the environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "config/config.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/start/node_job.hpp"

namespace starling::launch {

/// The settings of our environment, and those that -x and -genv give the ranks: they hold for the layout of their job,
/// too. An error names the variable.
Result<config::Store> read_settings(const JobSpec& spec);

/// The hosts as tuning files name them: as they were written, but this machine by its host name.
[[nodiscard]] std::vector<std::string> tuning_names(const HostRequest& request);

/// Reads the tuning file for all ranks, on whichever host: what it says goes to them in their environment. A warning
/// goes to standard error.
void pass_tuning(JobSpec& spec, config::Store store);

/// How the job is watched, as options say it, or else the settings. An error names the variable.
[[nodiscard]] Result<WatchSettings> watch_settings(const JobSpec& spec, const config::Store& store);

/// Events in the ring of each of so many traced ranks of a node.
[[nodiscard]] std::uint32_t trace_events_for(std::uint32_t ranks) noexcept;

/// A part of the job as the settings want it, for these many ranks here and on all nodes.
[[nodiscard]] NodeJob node_job(const JobSpec& spec, memory::Placement::Node members, const config::Store& store);

}  // namespace starling::launch
