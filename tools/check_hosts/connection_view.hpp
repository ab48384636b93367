// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ConnectionView: a TCP connection of this process as the kernel sees it, for what a check says about it. MPI does not
// tell which connection carries its messages: among those that have been made since a check began it is the busiest.
// Thread safety: values; the functions ask the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace starling::check_hosts {

struct ConnectionView {
  std::string own_address;  ///< "10.0.0.1"
  std::string peer_address;
  std::string interface;            ///< of this host, that has the own address; empty: not found
  std::uint32_t interface_mtu = 0;  ///< 0: not known
};

/// The descriptors that are TCP connections to another host now.
[[nodiscard]] std::set<int> tcp_connections();

/// Of the connections that are none of these the one that has received most; none if there is no other.
[[nodiscard]] std::optional<ConnectionView> busiest_but(const std::set<int>& known);

}  // namespace starling::check_hosts
