// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Constructors that have to do with intercommunicators. Each takes two context ids, one for the intercommunicator and
// one for the intracommunicator over the local group that it carries; the latter is the same for both groups, which
// have no process in common.
//
// Thread safety: the holder of the world's lock. Arguments have been checked by the caller.
// Source: MPI-5.0, 7.4.2 and 7.6.
#pragma once

#include "world/communicators/leader_exchange.hpp"

namespace starling::world {

/// Binds two disjoint groups together: that of `local` and that of the peer leader. Collective over both.
/// kComm when the groups overlap.
MadeCommunicator intercomm_create(World& world, comm::Communicator& local, std::int32_t leader, const PeerLeader& peer);

/// Makes one group of the two. The group that says kHigh comes last; if both say the same, the group
/// whose first process has the lower name (GlobalProcess) comes first.
enum class Place : std::uint8_t { kLow, kHigh };
MadeCommunicator intercomm_merge(World& world, comm::Communicator& inter, Place place);

/// Whether our group takes the context ids for both: the group whose first process has the lower name (GlobalProcess).
[[nodiscard]] bool takes_context_ids(World& world, const comm::Communicator& inter);

// What communicators.hpp offers, for an intercommunicator; those there pass it on.
MadeCommunicator dup_inter(World& world, comm::Communicator& inter);
MadeCommunicator split_inter(World& world, comm::Communicator& inter, std::int32_t color, std::int32_t key);

}  // namespace starling::world
