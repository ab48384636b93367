// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collectives that go around late ranks when it pays, and run plainly when it does not.
//
// Thread safety: as MPI has it, one call at a time on a communicator.
#pragma once

#include <mpi.h>

#include "channel.hpp"

namespace starling::pap {

int reduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm);

/// A scheduled reduce to whoever comes first, then a broadcast.
int allreduce(Channel& channel, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm);

/// Down a tree in the order of arrival, so that nobody waits for a late rank but those after it.
int bcast(Channel& channel, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

}  // namespace starling::pap
