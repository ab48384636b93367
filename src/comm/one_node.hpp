// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Refuses what needs memory that all members of a communicator share, where they are on several nodes.
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "base/status.hpp"
#include "comm/communicator.hpp"

namespace starling::comm {

/// Success where the communicator has a shared domain; else an error whose message says why `what`, such as "a window
/// cannot span nodes", and what to do. The same answer on every member.
[[nodiscard]] Status check_shared_domain(const Communicator& comm, std::string_view what,
                                         ErrorClass error_class = ErrorClass::kUnsupportedOperation);

}  // namespace starling::comm
