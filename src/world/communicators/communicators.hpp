// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator constructors. Each is collective and gives every new communicator a context id that no other in the job
// has or had: one rank takes it from the segment of its node and tells the others.
//
// Thread safety: the holder of the world's lock. Arguments have been checked by the caller.
// Source: MPI-5.0, chapter 7.4.2.
#pragma once

#include <cstdint>

#include "world/communicators/division.hpp"
#include "world/world.hpp"

namespace starling::world {

// Given an intercommunicator, dup, split and create make intercommunicators.

/// The same group under a new context.
MadeCommunicator dup(World& world, comm::Communicator& comm);

/// One communicator for each colour, ranks in order of key and then of their rank in comm.
/// Colour kNoColor: not a member of any.
MadeCommunicator split(World& world, comm::Communicator& comm, std::int32_t color, std::int32_t key);

/// Collective over comm; ranks that name different groups get different communicators. group is a subset of comm's.
/// On an intercommunicator every rank names its side's group of the new one; null when either is empty.
MadeCommunicator create(World& world, comm::Communicator& comm, const Ref<comm::Group>& group);

/// Collective over group only, a subset of comm's that holds this rank. Calls at the same time differ in tag.
MadeCommunicator create_group(World& world, comm::Communicator& comm, const Ref<comm::Group>& group, std::int32_t tag);

}  // namespace starling::world
