// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/socket_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstddef>
#include <cstring>

#include "base/format.hpp"

namespace starling::transport::tcp {

SocketAddress SocketAddress::loopback() noexcept {
  sockaddr_in wanted{};
  wanted.sin_family = AF_INET;
  wanted.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  SocketAddress address;
  std::memcpy(&address.storage_, &wanted, sizeof wanted);
  address.bytes_ = sizeof wanted;
  return address;
}

SocketAddress SocketAddress::of_socket(int socket) noexcept {
  SocketAddress address;
  address.bytes_ = sizeof address.storage_;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage_), &address.bytes_) != 0) address.bytes_ = 0;
  return address;
}

// Both kinds have the port at the same place.
static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port),
              "ports are read without the family");

SocketAddress SocketAddress::with_port(std::uint16_t port) const noexcept {
  SocketAddress other = *this;
  const std::uint16_t sent = htons(port);
  std::memcpy(reinterpret_cast<char*>(&other.storage_) + offsetof(sockaddr_in, sin_port), &sent, sizeof sent);
  return other;
}

std::uint16_t SocketAddress::port() const noexcept {
  std::uint16_t sent = 0;
  std::memcpy(&sent, reinterpret_cast<const char*>(&storage_) + offsetof(sockaddr_in, sin_port), sizeof sent);
  return ntohs(sent);
}

std::string SocketAddress::host() const {
  char text[INET6_ADDRSTRLEN] = "?";
  const char* bytes = reinterpret_cast<const char*>(&storage_);
  inet_ntop(family(),
            bytes + (family() == AF_INET6 ? offsetof(sockaddr_in6, sin6_addr) : offsetof(sockaddr_in, sin_addr)), text,
            sizeof text);
  return text;
}

std::string SocketAddress::text() const {
  return family() == AF_INET6 ? formatted("[{}]:{}", host(), port()) : formatted("{}:{}", host(), port());
}

}  // namespace starling::transport::tcp
