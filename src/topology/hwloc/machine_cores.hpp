// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The cores of this machine as hwloc sees them. A target of its own (starling_topology_hwloc) that only the launcher
// links: a rank shall not pay for hwloc at its start.
// Thread safety: changes a variable of the environment for a moment, so for a process of one thread.
#pragma once

#include <vector>

#include "base/status.hpp"
#include "topology/binding.hpp"

namespace starling::topology {

/// The cores in this process's affinity mask and control group, in the order in which they lie in the machine.
Result<std::vector<Core>> machine_cores();

}  // namespace starling::topology
