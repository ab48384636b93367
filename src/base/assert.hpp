// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// STARLING_ASSERT: an invariant of the library itself. Never used for a user's mistake or a dead peer: those are a
// Status.
#pragma once

namespace starling {

/// Prints the broken invariant with its place and aborts the process.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const char* message) noexcept;

}  // namespace starling

#define STARLING_ASSERT(condition, message)                                  \
  do {                                                                       \
    if (!(condition)) [[unlikely]] {                                         \
      ::starling::assertion_failed(#condition, __FILE__, __LINE__, message); \
    }                                                                        \
  } while (false)
