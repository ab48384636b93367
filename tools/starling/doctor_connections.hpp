// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The part of 'starling doctor --host' that tries connections between hosts: two jobs of starling-check-hosts
// (tools/check_hosts), one rank on each host. In the first the lower rank of each pair calls the other, in the second
// the higher one, so that a firewall that lets one way through shows.
// Thread safety: for single-threaded processes.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts/host.hpp"

namespace starling::tools {

/// Reports what it finds. host_options: the words that name the hosts to mpiexec.
bool connections_work(const std::vector<std::string>& host_options, const launch::HostRequest& request);

}  // namespace starling::tools
