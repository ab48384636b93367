// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Pattern: bytes that a receiver can check without having seen the sender's buffer.
//
// Every byte depends on the key and on its position, so a lost, doubled, swapped or shifted piece shows.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace starling::tests {

/// Mixes the bits of a number (the finaliser of splitmix64; Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The key of a message from its parts.
template <typename... Parts>
constexpr std::uint64_t key_of(Parts... parts) {
  std::uint64_t key = 0;
  ((key = mix(key ^ static_cast<std::uint64_t>(parts))), ...);
  return key;
}

inline std::uint64_t pattern_word(std::uint64_t key, std::size_t word) {
  return key + (word + 1) * 0x9e3779b97f4a7c15u + ((word * word) << 20);
}

inline unsigned char pattern_byte(std::uint64_t key, std::size_t position) {
  return static_cast<unsigned char>(pattern_word(key, position / 8) >> (position % 8 * 8));
}

inline void fill_pattern(void* buffer, std::size_t bytes, std::uint64_t key) {
  auto* out = static_cast<unsigned char*>(buffer);
  std::size_t done = 0;
  for (; done + 8 <= bytes; done += 8) {
    const std::uint64_t word = pattern_word(key, done / 8);
    std::memcpy(out + done, &word, 8);
  }
  for (; done < bytes; ++done) out[done] = pattern_byte(key, done);
}

/// The position of the first wrong byte, or -1.
inline std::ptrdiff_t first_wrong_byte(const void* buffer, std::size_t bytes, std::uint64_t key) {
  const auto* in = static_cast<const unsigned char*>(buffer);
  std::size_t done = 0;
  for (; done + 8 <= bytes; done += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + done, 8);
    if (word != pattern_word(key, done / 8)) break;
  }
  for (; done < bytes; ++done) {
    if (in[done] != pattern_byte(key, done)) return static_cast<std::ptrdiff_t>(done);
  }
  return -1;
}

inline std::vector<unsigned char> pattern(std::size_t bytes, std::uint64_t key) {
  std::vector<unsigned char> buffer(bytes);
  fill_pattern(buffer.data(), bytes, key);
  return buffer;
}

}  // namespace starling::tests
