// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/spawn_host_key.hpp"

#include "base/format.hpp"
#include "launch/hosts/host_list.hpp"
#include "launch/hosts/host_name.hpp"
#include "launch/hosts/this_machine.hpp"

namespace starling::launch {

Status check_spawn_host_key(std::string_view value) {
  if (value.empty()) return {};
  Result<std::vector<Host>> hosts = parse_host_list(value);
  if (!hosts.ok()) return std::move(hosts).status();
  const ThisMachine machine = ThisMachine::ask();
  for (const Host& host : hosts.value()) {
    if (machine.is(host)) continue;
    return Status::error(
        ErrorClass::kArg,
        formatted("the info key 'host' names '{}', which is not this machine; spawned processes run on "
                  "the machine of the process that spawns them. Leave the key out",
                  host.name));
  }
  return {};
}

}  // namespace starling::launch
