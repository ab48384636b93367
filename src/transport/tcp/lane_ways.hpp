// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which links there are between two hosts: each network in which both are, by a card of its own. A network is known by
// the addresses: what a host has of the other's addresses in a subnet of its own it reaches over the interface of that
// subnet.
// Thread safety: values; pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/tcp/interfaces.hpp"

namespace starling::transport::tcp {

/// A link, as the ends of a connection over it.
struct LaneWay {
  std::string interface;  ///< of this host: "eth1"
  SocketAddress own;      ///< with port 0
  SocketAddress peer;

  /// "eth1 (10.0.1.1 to 10.0.1.2)"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const LaneWay&, const LaneWay&) = default;
};

/// The links beside the one that has the own address `used`; own: all addresses of this host. One for each interface
/// and subnet; none where it is not known which interface has `used`.
[[nodiscard]] std::vector<LaneWay> ways_beside(const SocketAddress& used, std::span<const InterfaceAddress> own,
                                               std::span<const SocketAddress> peers);

}  // namespace starling::transport::tcp
