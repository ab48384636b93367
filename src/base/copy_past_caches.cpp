// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/copy_past_caches.hpp"

#include <cstring>
#include <iterator>

#include "base/cpu.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace starling {

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
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
