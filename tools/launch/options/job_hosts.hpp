// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the options of a command line say together about hosts. Thread safety: functions of their arguments.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "launch/hosts/this_machine.hpp"
#include "launch/options/job_spec.hpp"

namespace starling::launch {

/// Joins what host files and --host name: the files are in `spec.hosts`, the lists in the applications.
///
/// The job's hosts are those of the files or, without files, of all lists. With files a list chooses from them. A list
/// of the first application alone is everybody's; else the ranks of an application with a list go to its hosts.
Status join_hosts(JobSpec& spec);

/// A job all of whose hosts are this machine: gives every application its number of ranks and leaves no hosts.
/// Otherwise nothing changes.
Status settle_here(JobSpec& spec, const ThisMachine& machine, std::uint32_t usable_cores);

}  // namespace starling::launch
