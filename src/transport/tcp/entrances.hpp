// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The entrances of a rank: a listener at each address that its host offers. Whoever opens them tells the other hosts
// where they are before any rank calls. Thread safety: values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "transport/tcp/interfaces.hpp"
#include "transport/tcp/listener.hpp"

namespace starling::transport::tcp {

struct OpenEntrance {
  Listener listener;
  std::string address;    ///< "10.0.0.1:4000"
  std::string interface;  ///< "eth0"
};

/// In the order of the addresses. One at which nobody may listen, as IPv6 addresses are for a second when they are new,
/// is left out; an error when none is left.
[[nodiscard]] Result<std::vector<OpenEntrance>> open_entrances(std::span<const InterfaceAddress> offered,
                                                               PortRange ports);

}  // namespace starling::transport::tcp
