// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The hosts of a Slurm allocation, from the variables that Slurm gives to the programs in it.
// Thread safety: pure functions, but for those that end in _here, which read the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// "n[1-3,07],login,r[1-2]n[1-2]" as names.
Result<std::vector<std::string>> expand_node_list(std::string_view list);

/// "2(x3),1" as numbers: 2, 2, 2, 1. Empty where it is something else.
[[nodiscard]] std::vector<std::uint32_t> expand_node_counts(std::string_view counts);

/// The hosts of SLURM_JOB_NODELIST with the slots of SLURM_TASKS_PER_NODE; where that does not fit to the hosts, with
/// those of SLURM_JOB_CPUS_PER_NODE; else with their usable cores.
Result<std::vector<Host>> slurm_hosts(std::string_view node_list, std::string_view tasks_per_node,
                                      std::string_view cpus_per_node);

/// Whether we run inside an allocation.
[[nodiscard]] bool in_slurm_here();
Result<std::vector<Host>> slurm_hosts_here();

}  // namespace starling::launch
