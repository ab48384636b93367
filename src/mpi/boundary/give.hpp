// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The last step of what makes an object: it gets its handle, or the failure is noted; and the first of a constructor of
// communicators, which looks at the parent. Thread safety: the holder of the world's lock.
#pragma once

#include <mpi.h>

#include "mpi/boundary/context.hpp"
#include "world/communicators/communicators.hpp"

namespace starling::mpi {

/// Gives the new communicator its handle, or MPI_COMM_NULL to a rank that is not a member.
int give_comm(Context& context, world::MadeCommunicator made, const CommObject& parent, MPI_Comm* newcomm);

int give_group(Context& context, Ref<comm::Group> group, MPI_Group* newgroup);

/// Notes a failure when the call is for intracommunicators only and this is none.
int refuse_intercomm(const CommObject& comm);

}  // namespace starling::mpi
