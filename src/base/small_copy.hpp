// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A copy for data that are mostly short: up to 16 bytes it is a few moves in place instead of a call.
//
// Thread safety: as of memcpy. Invariants: the two do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace starling {

namespace internal {

/// Between sizeof(Word) and twice as many bytes: two words, which may overlap.
template <typename Word>
inline void copy_two_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

}  // namespace internal

inline void small_copy(void* to, const void* from, std::size_t bytes) noexcept {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  if (bytes > 2 * sizeof(std::uint64_t)) {
    std::memcpy(out, in, bytes);
  } else if (bytes >= sizeof(std::uint64_t)) {
    internal::copy_two_words<std::uint64_t>(out, in, bytes);
  } else if (bytes >= sizeof(std::uint32_t)) {
    internal::copy_two_words<std::uint32_t>(out, in, bytes);
  } else if (bytes > 0) {
    out[0] = in[0];
    out[bytes / 2] = in[bytes / 2];
    out[bytes - 1] = in[bytes - 1];
  }
}

}  // namespace starling
