// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/entrances.hpp"

#include <utility>

namespace starling::transport::tcp {

Result<std::vector<OpenEntrance>> open_entrances(std::span<const InterfaceAddress> offered, PortRange ports) {
  std::vector<OpenEntrance> entrances;
  Status why = Status::error(ErrorClass::kOther, "this host has no address at which ranks of other nodes can call it");
  for (const InterfaceAddress& at : offered) {
    Result<Listener> listener = Listener::open(at.address, ports);
    if (!listener.ok()) {
      why = std::move(listener).status();
      continue;
    }
    std::string address = listener.value().address().text();
    entrances.push_back({std::move(listener).value(), std::move(address), at.interface});
  }
  if (entrances.empty()) return why;
  return entrances;
}

}  // namespace starling::transport::tcp
