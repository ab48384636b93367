// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SocketAddress: an IPv4 or IPv6 address with its port. Thread safety: a value.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace starling::transport::tcp {

class SocketAddress {
 public:
  /// 127.0.0.1.
  static SocketAddress loopback() noexcept;
  /// The address to which a socket is bound.
  static SocketAddress of_socket(int socket) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  [[nodiscard]] SocketAddress with_port(std::uint16_t port) const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Without the port: 10.0.0.1, fe80::1.
  [[nodiscard]] std::string host() const;
  /// As a reader knows it: 10.0.0.1:4000, [fe80::1]:4000.
  [[nodiscard]] std::string text() const;

 private:
  sockaddr_storage storage_{};
  socklen_t bytes_ = 0;
};

}  // namespace starling::transport::tcp
