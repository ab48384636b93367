// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_join: an intercommunicator of the two processes at the ends of a socket.
//
// The two exchange all their messages over the socket. So an end that dies, leaves or was never an MPI process is an
// error at the other end, and no wait without end:
//
//   both: Greeting (job and rank) -> the process with the lower id: Offer (shared memory that it has made) -> the
//   other: Answer (whether it could open that) -> if not, as on another host, the former: a secret, and both meet as
//   caller and acceptor at a port do (meeting.hpp) -> the former: the context ids
//
// Two processes of one job are connected already: the ids follow the greeting. The secret travels as the data of the
// program's own socket do: who can read these could call at the connection while it is being made.
//
// The first message comes when the other end calls; the next ones come within STARLING_JOIN_PATIENCE_MS or are an
// error. Nothing stays in the socket.
//
// Thread safety: the holder of the world's lock, which is given up while the socket is not ready. Source:
// MPI-5.0, 11.10.4.
#pragma once

#include "world/communicators/communicators.hpp"

namespace starling::world {

/// Connects with the process at the other end of a connected stream socket. kArg when the socket is not one; kOther
/// when the other end fails.
MadeCommunicator join(World& world, int socket);

}  // namespace starling::world
