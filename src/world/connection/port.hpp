// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Port: where groups that have nothing in common find each other: a page of shared memory without a name, which other
// processes find in the descriptors of the one that opened it. Its name says where: "starling-port:<address>". A caller
// leaves the address of a connection there, and whoever accepts at the port opens it.
//
// Thread safety: the holder of the world's lock; the page: any process.
// Invariants: a page has one offer at a time; a caller that died while it held the page is passed over.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/segment_address.hpp"
#include "memory/kept_file.hpp"

namespace starling::progress {
class Engine;
}

namespace starling::world {

class JobConnection;
struct PortPage;

/// The page of a port, open in this process.
class Port {
 public:
  static Result<std::unique_ptr<Port>> make();
  /// kPort when the name is none or the port is closed.
  static Result<std::unique_ptr<Port>> open(const std::string& name);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] PortPage& page() noexcept { return *page_; }
  /// Tells those that wait at it that nobody will come.
  void close() noexcept;

 private:
  Port(memory::KeptFile file, PortPage* page) : file_(std::move(file)), page_(page) {}
  static Result<std::unique_ptr<Port>> map(memory::KeptFile file);

  memory::KeptFile file_;
  PortPage* page_;
};

/// The ports that a process has opened.
class Ports {
 public:
  Result<std::string> open();
  /// kPort when this process has no such port open.
  Status close(const std::string& name);

 private:
  std::vector<std::unique_ptr<Port>> open_;
};

/// Waits until somebody calls the port; the connection that the caller has made.
Result<bootstrap::SegmentAddress> wait_at_port(progress::Engine& progress, const std::string& name);
/// Offers a connection at the port and waits until it is taken and complete.
Status call_port(progress::Engine& progress, const std::string& name, JobConnection& connection);

}  // namespace starling::world
