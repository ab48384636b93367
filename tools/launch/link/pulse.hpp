// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Pulse: tells a machine that has gone from a process that is silent because it gets no processor time, or is stopped.
// The process keeps Doors: sockets that listen. When it has been silent for a while, the other end of the link connects
// to one of them, which the system of that machine does by itself, and from then on has TCP ask each second whether it
// is still there (keepalive), which that system answers as well. A process that has ended has no doors, and a machine
// or a network that has gone answers nothing. Nothing is read or written.
//
// Thread safety: none, for the event loop's thread. Invariants: no socket is open before the first feel() and after
// rest().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "transport/tcp/interfaces.hpp"
#include "transport/tcp/listener.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::launch {

/// Where the pulse of this process can be felt. Callers are let in and closed.
class Doors {
 public:
  explicit Doors(EventLoop& loop) : loop_(loop) {}
  ~Doors();
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;

  /// Once: one at each address at which a port is free.
  void open(std::span<const transport::tcp::InterfaceAddress> addresses, transport::tcp::PortRange ports);
  /// "10.0.0.1:4000"
  [[nodiscard]] std::vector<std::string> addresses() const;

 private:
  void let_in(transport::tcp::Listener& listener);

  EventLoop& loop_;
  std::vector<transport::tcp::Listener> listeners_;
};

class Pulse {
 public:
  /// Where: as Doors::addresses(); those that are no addresses are left out.
  void set_doors(std::span<const std::string> doors);

  /// Asks, and tells when the other machine has answered last; 0: never. To be called a few times a second.
  [[nodiscard]] std::int64_t feel(std::int64_t now_ns);
  /// There is nothing to ask for the time being.
  void rest() noexcept;

 private:
  struct Door {
    transport::tcp::SocketAddress address;
    Descriptor socket;
    std::int64_t called_ns = 0;  ///< when the socket was opened
  };

  void call(Door& door, std::int64_t now_ns) const;

  std::vector<Door> doors_;
  std::int64_t answered_ns_ = 0;
};

}  // namespace starling::launch
