// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which rank goes to which host.
//
// The ranks of all applications are numbered in order and dealt as one sequence. They fill the slots of the hosts in
// order, or go to each host in turn, or so many to each host. Those beyond the slots are dealt to the hosts in turn,
// and the note says so; where that is not wanted (--nooversubscribe) they are an error. No host gets more ranks than
// its max_slots. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// The hosts, by their places in the request, whose usable cores allocate() needs to know.
[[nodiscard]] std::vector<std::size_t> hosts_to_ask(std::span<const RankRequest> applications,
                                                    const HostRequest& request);

/// `usable_cores` has a number for each host of the request; it is read for those of hosts_to_ask() only. Without hosts
/// all ranks go to one, this machine, and an application that names no number gets one rank.
/// An error says which numbers do not fit.
[[nodiscard]] Result<Allocation> allocate(std::span<const RankRequest> applications, const HostRequest& request,
                                          std::span<const std::uint32_t> usable_cores);

}  // namespace starling::launch
