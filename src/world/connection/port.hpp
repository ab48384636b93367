// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Port: a page of shared memory through which groups that have nothing in common connect. The page has no name in the
// file system; other processes of the host find it among the descriptors of the process that opened it, by the port's
// name "starling-port:<address>@<host>#<door>". A caller leaves the address of a connection in the page, and the
// process that accepts at the port opens that connection. Processes of other hosts call at the door (port_door.hpp).
//
// Thread safety: the holder of the world's lock; the page: any process.
// Invariants: a page has one offer at a time; a caller that died while it held the page is passed over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/segment_address.hpp"
#include "memory/kept_file.hpp"
#include "world/connection/port_door.hpp"

namespace starling::progress {
class Engine;
}

namespace starling::world {

class JobConnection;
struct PortPage;

/// The page of a port, open in this process.
class Port {
 public:
  /// door: null, nobody can call from other hosts.
  static Result<std::unique_ptr<Port>> make(std::unique_ptr<PortDoor> door);
  /// kPort when the name is none or the port is closed, kUnsupportedOperation when it is of another host.
  static Result<std::unique_ptr<Port>> open(const std::string& name);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] PortPage& page() noexcept { return *page_; }
  /// Null where there is none, and outside of the process that has opened the port.
  [[nodiscard]] PortDoor* door() const noexcept { return door_.get(); }
  /// Ends the waits of all processes that wait at the port.
  void close() noexcept;

 private:
  Port(memory::KeptFile file, PortPage* page) : file_(std::move(file)), page_(page) {}
  static Result<std::unique_ptr<Port>> map(memory::KeptFile file);
  void set_name();

  memory::KeptFile file_;
  PortPage* page_;
  std::string name_;  ///< in the process that has opened the port
  std::unique_ptr<PortDoor> door_;
};

/// The ports that a process has opened.
class Ports {
 public:
  Result<std::string> open(const config::Store& config);
  /// kPort when this process has no such port open.
  Status close(const std::string& name);
  /// Null: this process has no such port open, or it has no door.
  [[nodiscard]] PortDoor* door_of(const std::string& name) const noexcept;

 private:
  std::vector<std::unique_ptr<Port>> open_;
};

/// Who calls a port: one of the two.
struct PortCall {
  std::optional<bootstrap::SegmentAddress>
      near;  ///< the address of the connection that a process of this host has made
  std::optional<PortDoor::Caller> far;
};
/// Waits until a process calls the port.
Result<PortCall> wait_at_port(progress::Engine& progress, const std::string& name, PortDoor* door);
/// Where a port is called whose process is not on this host. Nothing in a good Result: it is.
Result<std::optional<DoorName>> far_door_of(const std::string& name);
/// Offers a connection at the port and waits until the other process has opened it.
Status call_port(progress::Engine& progress, const std::string& name, JobConnection& connection);

}  // namespace starling::world
