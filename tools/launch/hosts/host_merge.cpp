// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/host_merge.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "launch/hosts/host_name.hpp"

namespace starling::launch {

HostMerge::HostMerge(std::vector<Host>& hosts) : hosts_(hosts) {
  for (std::size_t i = 0; i < hosts.size(); ++i) places_.emplace(hosts[i].name, i);
}

Status HostMerge::add(const Host& host) {
  const auto [place, is_new] = places_.try_emplace(host.name, hosts_.size());
  if (is_new) {
    hosts_.push_back(host);
    return {};
  }
  Host& known = hosts_[place->second];
  if (known.user != host.user) {
    return Status::error(
        ErrorClass::kArg,
        formatted("host '{}' is named for two users, '{}' and '{}'; one job is one user's on each host", host.name,
                  known.user, host.user));
  }
  known.slots = std::min(known.slots.value_or(1) + host.slots.value_or(1), kMostSlots);
  if (host.max_slots) known.max_slots = std::min(known.max_slots.value_or(*host.max_slots), *host.max_slots);
  return {};
}

}  // namespace starling::launch
