// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What bootstrap needs of the network where another launcher has started the ranks: they open their entrances
// themselves, and agree on those that they offer from what all have opened. Our own launcher does it for its ranks.
// Thread safety: as NetworkHooks.
#pragma once

#include "bootstrap/nodes/entrances.hpp"
#include "config/config.hpp"

namespace starling::world {

/// config: outlives them.
[[nodiscard]] bootstrap::NetworkHooks network_hooks(const config::Store& config);

}  // namespace starling::world
