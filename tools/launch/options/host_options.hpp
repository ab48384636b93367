// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The options of mpiexec that are about hosts: which, how ranks are dealt to them, and how they are reached.
// Thread safety: functions of their arguments; set_host_file reads the file.
#pragma once

#include <span>
#include <string>

#include "base/status.hpp"
#include "launch/options/reading.hpp"

namespace starling::launch {

Status set_host_list(Reading& reading, std::span<const std::string> values);
Status set_host_file(Reading& reading, std::span<const std::string> values);
Status set_ranks_per_host(Reading& reading, std::span<const std::string> values);
/// slot, node and ppr:K:node deal ranks to hosts; core, l3, numa and package are what they step over on each.
Status set_map_by(Reading& reading, std::span<const std::string> values);
/// Whether there may be more ranks than slots.
Status allow_more_than_slots(Reading& reading, std::span<const std::string> values);
Status refuse_more_than_slots(Reading& reading, std::span<const std::string> values);
Status set_remote_shell(Reading& reading, std::span<const std::string> values);
Status set_launcher(Reading& reading, std::span<const std::string> values);
/// Of Open MPI's settings those that name the remote shell and allow more ranks than slots. Others that say where ranks
/// run are refused, the rest noted.
Status set_mca(Reading& reading, std::span<const std::string> values);

}  // namespace starling::launch
