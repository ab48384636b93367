// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// futex_wait_any with a limit. Thread safety: any thread of any process.
#pragma once

#include <cstdint>
#include <span>

#include "base/futex.hpp"

namespace starling {

/// As futex_wait_any, but at most timeout_ns; -1: as long as it takes.
void futex_wait_any_for(std::span<const FutexWait> waits, std::int64_t timeout_ns) noexcept;

}  // namespace starling
