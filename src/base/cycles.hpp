// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The processor's counter of cycles: a few nanoseconds to read where a clock takes twenty.
#pragma once

#include <cstdint>

#if !defined(__x86_64__)
#include "base/clock.hpp"
#endif

namespace starling {

/// Grows evenly; nanoseconds where there is no such counter.
inline std::uint64_t cycles() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

}  // namespace starling
