// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/interface_watch.hpp"

#include <utility>

#include "base/format.hpp"

namespace starling::launch {

void InterfaceWatch::start(std::vector<transport::tcp::InterfaceAddress> offered) {
  std::erase_if(offered, [](const auto& each) { return each.address.is_loopback(); });
  for (auto& interface : transport::tcp::interfaces_of(offered)) watched_.push_back({std::move(interface)});
}

std::vector<std::string> InterfaceWatch::look() {
  std::vector<std::string> notes;
  for (Watched& each : watched_) {
    if (each.came_back || is_up_(each.interface.name) != each.was_lost) continue;
    const bool is_lost = !each.was_lost;
    (is_lost ? each.was_lost : each.came_back) = true;
    notes.push_back(formatted("note: interface {} is {}", each.interface.text(),
                              is_lost ? "down. The job goes on unless one of its connections is over this interface"
                                      : "up again. Further changes of it are not reported"));
  }
  return notes;
}

}  // namespace starling::launch
