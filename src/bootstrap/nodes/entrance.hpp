// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Entrance: where a rank listens for those of other nodes. Thread safety: a value.
#pragma once

#include <string>

namespace starling::bootstrap {

struct Entrance {
  std::string address;    ///< "10.0.0.1:4000", "[2001:db8::1]:4000"
  std::string interface;  ///< the network interface that has the address, as its host names it: "eth0"

  friend bool operator==(const Entrance&, const Entrance&) = default;
};

}  // namespace starling::bootstrap
