// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Dynamic processes: a new job that a launcher of its own runs, and jobs that connect at a port (over a socket:
// join.hpp). In both cases two processes first get a connection for themselves; then both groups make an
// intercommunicator as in MPI_Intercomm_create, with that connection between their leaders.
//
// Thread safety: the holder of the world's lock. Collective over comm; root's arguments count at the root only.
// kUnsupportedOperation, on every rank, where comm has no shared domain.
// Source: MPI-5.0, 11.8 to 11.10.
#pragma once

#include <string>

#include "bootstrap/dynamic/spawn_request.hpp"
#include "world/communicators/communicators.hpp"
#include "world/connection/port.hpp"

namespace starling::world {

/// Starts the programs and sets request.meeting. kSpawn, on every rank, when the programs do not start.
MadeCommunicator spawn(World& world, comm::Communicator& comm, std::int32_t root, bootstrap::SpawnRequest request);

/// The intercommunicator with the processes that spawned this job; null when the job was not spawned. Collective over
/// comm_world.
MadeCommunicator connect_to_parent(World& world);

/// Waits at a port for a group that connects.
MadeCommunicator accept(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port);
/// Connects with the group that accepts at the port. kPort when there is no such port.
MadeCommunicator connect(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port);

/// Waits until both groups have called this, so that no message between them is under way.
Status wait_for_both_groups(World& world, comm::Communicator& comm);

}  // namespace starling::world
