// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WaitMode: how a wait waits. Thread safety: a value.
#pragma once

#include <cstdint>

namespace starling::progress {

/// See STARLING_WAIT.
enum class WaitMode : std::uint8_t { kAuto, kSpin, kYield, kSleep };

}  // namespace starling::progress
