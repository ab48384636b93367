// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/hosts.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/format.hpp"

namespace starling::launch {
namespace {

bool is_this_machine(std::string_view host) {
  host = host.substr(0, host.find(':'));
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const std::string_view here(name);
  return host == "localhost" || host == "127.0.0.1" || host == here || host == here.substr(0, here.find('.'));
}

}  // namespace

Status check_hosts(std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (!is_this_machine(list.substr(0, comma))) {
      return Status::error(
          ErrorClass::kArg,
          formatted(
              "host '{}' is not this machine, and this version of Starling runs on one machine only. Leave the option "
              "out to run all ranks here",
              list.substr(0, comma)));
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return {};
}

}  // namespace starling::launch
