// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The hosts that a spawn request names. Thread safety: a function of its argument.
#pragma once

#include <string_view>

#include "base/status.hpp"

namespace starling::launch {

/// Whether every host in the info key 'host' is this machine; if not, the message says what to do.
Status check_hosts(std::string_view list);

}  // namespace starling::launch
