// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The info key 'host' of MPI_Comm_spawn, which names where the spawned processes shall run. Thread safety: a function
// of its argument.
#pragma once

#include <string_view>

#include "base/status.hpp"

namespace starling::launch {

/// Whether every host in the key's value is this machine; if not, the message says what to do.
Status check_spawn_host_key(std::string_view value);

}  // namespace starling::launch
