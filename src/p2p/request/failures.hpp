// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Why an operation fails when a process has died or its communicator was revoked.
// Thread safety: no state. Source: User-Level Failure Mitigation, MPI Forum.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace starling::p2p {

/// Why an operation with a dead process fails. rank: in the communicator, or kAnySource.
[[nodiscard]] Status process_failed(std::int32_t rank);
/// Why an operation on a revoked communicator fails.
[[nodiscard]] Status revoked();

}  // namespace starling::p2p
