// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The stack of an interrupted thread, from inside a signal handler.
// Thread safety: reentrant, async-signal-safe once prime_backtrace() has run.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <span>

namespace starling::bootstrap {

/// Makes the unwinder do its lazy work now, where memory and locks may still be touched.
void prime_backtrace() noexcept;

/// Writes the interrupted instruction and the return addresses above it, innermost first; returns how many.
std::uint32_t backtrace_of(const ucontext_t& interrupted, std::span<std::uint64_t> frames) noexcept;

}  // namespace starling::bootstrap
