// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/socket_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

static_assert(offsetof(sockaddr_in, sin_family) == offsetof(sockaddr_in6, sin6_family) &&
                  offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port) &&
                  sizeof(sockaddr_in) <= sizeof(sockaddr_in6),
              "an IPv4 address is kept in the place of an IPv6 address");

/// Bytes of a whole address; 0: of no family that is known here.
std::size_t size_of(int family) noexcept {
  if (family == AF_INET) return sizeof(sockaddr_in);
  return family == AF_INET6 ? sizeof(sockaddr_in6) : 0;
}

std::size_t host_offset(int family) noexcept {
  return family == AF_INET6 ? offsetof(sockaddr_in6, sin6_addr) : offsetof(sockaddr_in, sin_addr);
}

bool read_number(std::string_view text, std::uint16_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<SocketAddress> SocketAddress::of(const sockaddr* address) noexcept {
  if (address == nullptr || size_of(address->sa_family) == 0) return std::nullopt;
  SocketAddress made;
  std::memcpy(&made.storage_, address, size_of(address->sa_family));
  return made;
}

std::optional<SocketAddress> SocketAddress::parse(std::string_view text) {
  std::string_view host = text;
  std::string_view port = "0";
  const bool is_bracketed = text.starts_with('[');
  const std::size_t end = is_bracketed ? text.find("]:") : text.find(':');
  if (is_bracketed && end == std::string_view::npos) return std::nullopt;
  if (is_bracketed) {
    host = text.substr(1, end - 1);
    port = text.substr(end + 2);
  } else if (end != std::string_view::npos && end == text.rfind(':')) {
    host = text.substr(0, end);
    port = text.substr(end + 1);
  }
  SocketAddress made;
  std::uint16_t number = 0;
  if (!read_number(port, number) || !made.read_host(std::string(host))) return std::nullopt;
  if (is_bracketed && made.family() != AF_INET6) return std::nullopt;
  return made.with_port(number);
}

bool SocketAddress::read_host(const std::string& host) noexcept {
  for (const int family : {AF_INET, AF_INET6}) {
    storage_.sin6_family = static_cast<sa_family_t>(family);
    if (inet_pton(family, host.c_str(), reinterpret_cast<std::byte*>(&storage_) + host_offset(family)) == 1)
      return true;
  }
  return false;
}

bool SocketAddress::is_loopback() const noexcept {
  constexpr std::byte kLoopbackNetwork{127};
  return family() == AF_INET ? host_bytes()[0] == kLoopbackNetwork : IN6_IS_ADDR_LOOPBACK(&storage_.sin6_addr) != 0;
}

SocketAddress SocketAddress::loopback() noexcept {
  sockaddr_in wanted{};
  wanted.sin_family = AF_INET;
  wanted.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  SocketAddress address;
  std::memcpy(&address.storage_, &wanted, sizeof wanted);
  return address;
}

SocketAddress SocketAddress::of_socket(int socket) noexcept {
  SocketAddress address;
  socklen_t bytes = sizeof address.storage_;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage_), &bytes) != 0) return {};
  return address;
}

socklen_t SocketAddress::bytes() const noexcept { return static_cast<socklen_t>(size_of(family())); }

SocketAddress SocketAddress::with_port(std::uint16_t port) const noexcept {
  SocketAddress other = *this;
  other.storage_.sin6_port = htons(port);
  return other;
}

std::span<const std::byte> SocketAddress::host_bytes() const noexcept {
  return {reinterpret_cast<const std::byte*>(&storage_) + host_offset(family()),
          family() == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr)};
}

std::string SocketAddress::host() const {
  char text[INET6_ADDRSTRLEN] = "?";
  inet_ntop(family(), host_bytes().data(), text, sizeof text);
  return text;
}

std::string SocketAddress::text() const {
  return family() == AF_INET6 ? formatted("[{}]:{}", host(), port()) : formatted("{}:{}", host(), port());
}

bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept {
  return a.family() == b.family() && a.port() == b.port() && std::ranges::equal(a.host_bytes(), b.host_bytes());
}

}  // namespace starling::transport::tcp
