// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which addresses the ranks of each host offer to those of the others, and why not the rest. No interface is left out
// for its name: what cannot tell a host from others is known by its address. Callers try those that are offered side by
// side, so one that leads nowhere costs them a moment.
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "transport/tcp/interface_filter.hpp"
#include "transport/tcp/interfaces.hpp"

namespace starling::transport::tcp {

/// Of one host.
struct AddressChoice {
  static constexpr std::size_t kMost = 8;

  struct Rejected {
    InterfaceAddress address;
    std::string why;  ///< a clause: "it is a loopback address"

    friend bool operator==(const Rejected&, const Rejected&) = default;
  };

  std::vector<InterfaceAddress> offered;  ///< the best first, at most kMost
  std::vector<Rejected> rejected;
};

/// All hosts are one system with one network, which reaches itself by loopback only.
[[nodiscard]] bool are_one_machine(std::span<const HostNetwork> hosts);

/// For each host, in their order. Rejected are: loopback, but where all hosts are one machine; link-local addresses;
/// those of interfaces that are down; those that the filter does not allow; those that another host has as well.
[[nodiscard]] std::vector<AddressChoice> choose_addresses(std::span<const HostNetwork> hosts,
                                                          const InterfaceFilter& filter);

/// An error where a host has nothing to offer; it names each address and why.
[[nodiscard]] Status check_choices(std::span<const HostNetwork> hosts, std::span<const AddressChoice> choices);

}  // namespace starling::transport::tcp
