// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A short name for the order that counters need.
#pragma once

#include <atomic>

namespace starling::see {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace starling::see
