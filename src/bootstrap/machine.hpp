// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The facts of this machine that a job segment carries for all its ranks. Filled in before the first rank starts, by
// the launcher or by a singleton. Thread safety: no shared state.
#pragma once

#include "memory/job_segment.hpp"

namespace starling::bootstrap {

/// Whether one process may order the memory of all others (membarrier, global expedited).
[[nodiscard]] bool global_membarrier_works() noexcept;

/// Fills usable_cores, spread and sender_fences.
void describe_machine(memory::JobHeader& header);

}  // namespace starling::bootstrap
