// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The value of --host: "a:8,user@b:2,[2001:db8::2]:4". Thread safety: a pure function.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// The hosts in order, each once. A host that was written once and without a number has no slots here: it stands for
/// one slot, or for those that a host file gives it. A name that is written several times adds its slots.
Result<std::vector<Host>> parse_host_list(std::string_view list);

}  // namespace starling::launch
