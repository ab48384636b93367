// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SocketAddress: an IPv4 or IPv6 address with its port. A job has several for each of its ranks, so it is small.
// Thread safety: a value.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starling::transport::tcp {

class SocketAddress {
 public:
  SocketAddress() noexcept = default;
  /// Nothing when it is neither an IPv4 nor an IPv6 address.
  static std::optional<SocketAddress> of(const sockaddr* address) noexcept;
  /// Of text(), and of host() with port 0.
  static std::optional<SocketAddress> parse(std::string_view text);
  /// 127.0.0.1.
  static SocketAddress loopback() noexcept;
  /// The address to which a socket is bound.
  static SocketAddress of_socket(int socket) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t bytes() const noexcept;
  [[nodiscard]] int family() const noexcept { return storage_.sin6_family; }
  [[nodiscard]] SocketAddress with_port(std::uint16_t port) const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept { return ntohs(storage_.sin6_port); }
  /// The 4 or 16 bytes of the address itself, in the network's order.
  [[nodiscard]] std::span<const std::byte> host_bytes() const noexcept;
  /// Of this host to itself: 127.0.0.0/8, ::1.
  [[nodiscard]] bool is_loopback() const noexcept;
  /// Without the port: 10.0.0.1, fe80::1.
  [[nodiscard]] std::string host() const;
  /// As a reader knows it: 10.0.0.1:4000, [fe80::1]:4000.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept;

 private:
  [[nodiscard]] bool read_host(const std::string& host) noexcept;

  // Family and port of an IPv4 address lie at the same places; the address itself begins at sin6_flowinfo.
  sockaddr_in6 storage_{};
};
static_assert(sizeof(SocketAddress) == 28, "kept for each rank of a job");

}  // namespace starling::transport::tcp
