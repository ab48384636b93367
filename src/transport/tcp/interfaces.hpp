// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of a host and their addresses, as the system lists them, and as one host tells them another.
// Which of them are of use is said in address_choice.hpp.
// Thread safety: values; the functions ask the system.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/status.hpp"
#include "transport/tcp/socket_address.hpp"

namespace starling::transport::tcp {

/// An address of a host. An interface has several.
struct InterfaceAddress {
  std::string interface;         ///< "eth0"
  SocketAddress address;         ///< with port 0
  std::int32_t prefix_bits = 0;  ///< of its subnet; 0: not known
  std::int32_t megabits = 0;     ///< a second, of the interface; 0: not known
  bool is_up = true;

  /// "10.0.0.1 (eth0)"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const InterfaceAddress&, const InterfaceAddress&) = default;
};

/// An interface with all its addresses among some, as messages name it.
struct NamedInterface {
  std::string name;
  std::string addresses;  ///< "10.0.0.1, fd00::1"

  /// "eth0 (10.0.0.1, fd00::1)"
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::vector<NamedInterface> interfaces_of(std::span<const InterfaceAddress> addresses);

/// What a host says of its network.
struct HostNetwork {
  std::string host;     ///< as messages name it
  std::string machine;  ///< the same on two hosts: both are one system with one network; empty: not known
  std::vector<InterfaceAddress> addresses;

  void put(ByteWriter& out) const;
  static HostNetwork get(ByteReader& in);
  friend bool operator==(const HostNetwork&, const HostNetwork&) = default;
};

/// Of this host.
[[nodiscard]] Result<HostNetwork> own_network(std::string host);

/// The interface of this host that has an address, whatever its port; empty: none.
[[nodiscard]] std::string interface_of(const SocketAddress& address);

/// It is switched on, and its cable, or what stands for one, is there. One that does not exist is not up.
[[nodiscard]] bool is_interface_up(const std::string& interface);

}  // namespace starling::transport::tcp
