// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A call at a port from another host: both processes tell each other their cards over a socket, of which both ends have
// proved that they know the port's key (connection/port_door.hpp), and make a connection of two places. The socket
// closes then. Thread safety: the holder of the world's lock.
#pragma once

#include <memory>
#include <string>

#include "world/connection/port_door.hpp"
#include "world/world.hpp"

namespace starling::world {

/// A connection of two processes, and the other one.
struct Met {
  JobConnection* connection = nullptr;  ///< null: this process does not take part
  GlobalProcess other;
  std::shared_ptr<void> also;  ///< lives as long as the two are connected
};

/// Of the process that accepts.
Result<Met> answer_call(World& world, PortDoor::Caller caller);
/// Waits until the other process accepts. kPort when it cannot be reached, or closes the port. port: for messages.
Result<Met> call_door(World& world, const std::string& port, const DoorName& door);

}  // namespace starling::world
