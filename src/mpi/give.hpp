// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The first and the last step of a constructor of communicators: the parent is looked at; the new object gets its
// handle, or the failure is noted. Thread safety: the holder of the world's lock.
#pragma once

#include <mpi.h>

#include "mpi/context.hpp"
#include "world/communicators.hpp"

namespace starling::mpi {

/// Gives the new communicator its handle, or MPI_COMM_NULL to a rank that is not a member.
int give_comm(Context& context, world::MadeCommunicator made, const CommObject& parent, MPI_Comm* newcomm);

int give_group(Context& context, Ref<comm::Group> group, MPI_Group* newgroup);

/// Notes a failure when the call is for intracommunicators only and this is none.
int refuse_intercomm(const CommObject& comm);

}  // namespace starling::mpi
