// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A copy that does not read what it overwrites: the target's lines go to memory without being fetched first.
//
// For memory that another core has read before and reads next. A store through the cache asks that core for each line,
// and later that core asks for it back: two transfers for each line, of which a core has about a dozen under way.
// Stores past the cache ask no core, and the reader's prefetchers fetch consecutive memory in order.
//
// Thread safety: as of memcpy, and the copy is complete before any later store of this thread is seen.
// Invariants: `to` is aligned to 16 bytes; the two do not overlap.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>

#include "base/cpu.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace starling {

inline void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  std::size_t done = 0;
  for (; done + kCacheLine <= bytes; done += kCacheLine) {
    const auto* source = reinterpret_cast<const __m128i*>(in + done);
    auto* target = reinterpret_cast<__m128i*>(out + done);
    const __m128i words[] = {_mm_loadu_si128(source), _mm_loadu_si128(source + 1), _mm_loadu_si128(source + 2),
                             _mm_loadu_si128(source + 3)};
    for (std::size_t i = 0; i < std::size(words); ++i) _mm_stream_si128(target + i, words[i]);
  }
  std::memcpy(out + done, in + done, bytes - done);
  _mm_sfence();  // stores past the cache keep no order by themselves
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace starling
