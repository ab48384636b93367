// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Listener: the socket at which a rank is called by others. It is open before the roster is known, so that nobody calls
// in vain. Thread safety: one rank at a time.
#pragma once

#include <span>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "transport/tcp/settings.hpp"
#include "transport/tcp/socket_address.hpp"

namespace starling::transport::tcp {

class Listener {
 public:
  /// Listens at an address, at a port of these that is free.
  static Result<Listener> open(const SocketAddress& at, PortRange ports);
  /// Takes over the descriptor of a socket that listens at one of these addresses already, opened by whoever started
  /// this process.
  static Result<Listener> adopt(int descriptor, std::span<const SocketAddress> addresses);

  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  [[nodiscard]] SocketAddress address() const noexcept { return SocketAddress::of_socket(socket_.get()); }
  /// The next caller's socket, which does not block; not open when nobody calls.
  [[nodiscard]] Descriptor accept() noexcept;
  /// For a process that is started: the descriptor, which is not closed any more.
  [[nodiscard]] int release() noexcept { return socket_.release(); }
  /// Nobody can call any more.
  void close() noexcept { socket_.reset(); }

 private:
  explicit Listener(Descriptor socket) noexcept : socket_(std::move(socket)) {}

  Descriptor socket_;
};

}  // namespace starling::transport::tcp
