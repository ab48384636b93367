// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ends the operations under way on a communicator with an error: its collective calls after a death, all of them after
// a revocation. Thread safety: the holder of the world's lock.
#pragma once

#include "comm/communicator.hpp"
#include "world/world.hpp"

namespace starling::resilience {

/// Ends the collective calls on the communicator, and those on the local communicator of an intercommunicator.
void interrupt_collectives(world::World& world, comm::Communicator& comm, const Status& why);

/// Ends point-to-point and partitioned operations, too.
void interrupt_all(world::World& world, comm::Communicator& comm, const Status& why);

}  // namespace starling::resilience
