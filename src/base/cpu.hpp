// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The few machine instructions that the waits and the shared-memory rings need by name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

/// Bytes between two objects that different cores write without disturbing each other.
inline constexpr std::size_t kCacheLine = 64;

/// Tells the core that this is a spin loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();  // not by <immintrin.h>, which takes longer to compile than most files that come here
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/// Asks for the cache line so that this core may write it. The compiler's own hint is a read without -mprfchw;
/// processors that lack the instruction take it for a no-op.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace starling
