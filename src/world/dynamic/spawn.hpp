// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Dynamic processes: a new job that a launcher of its own runs, and jobs that meet at a port (over a socket: join.hpp).
// In both cases two processes first get a connection for themselves; then the two groups meet as in
// MPI_Intercomm_create, with that connection between their leaders.
//
// Thread safety: the holder of the world's lock. Collective over comm; root's arguments count at the root only.
// Source: MPI-5.0, 11.8 to 11.10.
#pragma once

#include <string>

#include "bootstrap/dynamic/spawn_request.hpp"
#include "world/communicators/communicators.hpp"
#include "world/connection/port.hpp"

namespace starling::world {

/// Starts the programs; request.meeting is set here. kSpawn, on every rank, when they do not come.
MadeCommunicator spawn(World& world, comm::Communicator& comm, std::int32_t root, bootstrap::SpawnRequest request);

/// The intercommunicator with those who spawned this job; collective over comm_world. Null when nobody did.
MadeCommunicator meet_parent(World& world);

/// Waits at a port for a group that connects.
MadeCommunicator accept(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port);
/// Connects with the group that accepts at the port. kPort when there is no such port.
MadeCommunicator connect(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port);

/// Waits until both groups have come here, so that nothing between them is under way.
Status part(World& world, comm::Communicator& comm);

}  // namespace starling::world
