// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_join: an intercommunicator of the two processes at the ends of a socket.
//
// All that the two have to tell each other goes over the socket, so that an end that dies, leaves or was never an MPI
// process is an error at the other end and no wait:
//
//   both: Greeting (who I am) -> the lower process: Offer (the connection that it has made, the context ids) ->
//   the other: Answer (whether it could open the connection)
//
// The first word of the other end may take as long as that takes to call; the next ones come at once or not at all
// (STARLING_JOIN_PATIENCE_MS). Nothing stays in the socket.
//
// Thread safety: the holder of the world's lock, which is given up while nothing comes. Source: MPI-5.0, 11.10.4.
#pragma once

#include "world/communicators/communicators.hpp"

namespace starling::world {

/// Connects with the process at the other end of a connected stream socket. kArg when it is none; kOther when the other
/// end fails.
MadeCommunicator join(World& world, int socket);

}  // namespace starling::world
