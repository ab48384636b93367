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

/// One side of a gather, scatter or allgather.
struct Blocks {
  void* buffer;  ///< MPI_IN_PLACE where MPI allows it
  int count;     ///< of one rank's block
  MPI_Datatype type;
};

/// Every rank's block goes straight to the root, so that a late rank holds up its own block only.
int gather(Channel& channel, const Blocks& send, const Blocks& receive, int root, MPI_Comm comm);

/// Straight from the root, first to those who come first.
int scatter(Channel& channel, const Blocks& send, const Blocks& receive, int root, MPI_Comm comm);

/// Everybody's block goes straight to everybody, first to those who come first.
int allgather(Channel& channel, const Blocks& send, const Blocks& receive, MPI_Comm comm);

}  // namespace starling::pap
