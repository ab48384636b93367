// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How two groups that are to have communicators in common tell each other their members and find the connected jobs of
// these communicators: none when all processes are of one job, those that both groups are in, or new ones, for which
// all processes open a connection.
//
// Thread safety: the holder of the world's lock. Collective over both groups.
#pragma once

#include "world/communicators/group_members.hpp"

namespace starling::world {

/// kComm when the groups overlap. `between` is the communicator in which the leaders talk; only they have to give it.
Result<GroupPair> pair_groups(World& world, LeaderExchange& exchange, comm::Communicator& local,
                              const comm::Communicator* between);

}  // namespace starling::world
