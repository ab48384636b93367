// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A call at a port from another host: both processes meet (meeting.hpp) over a socket, of which both ends have proved
// that they know the port's key (connection/port_door.hpp). The socket closes then. Thread safety: the holder of the
// world's lock.
#pragma once

#include <string>

#include "world/connection/port_door.hpp"
#include "world/dynamic/meeting.hpp"
#include "world/world.hpp"

namespace starling::world {

/// Of the process that accepts.
Result<Met> answer_call(World& world, PortDoor::Caller caller);
/// Waits until the other process accepts. kPort when it cannot be reached, or closes the port. port: for messages.
Result<Met> call_door(World& world, const std::string& port, const DoorName& door);

}  // namespace starling::world
