// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Pattern: bytes that a receiver can check without having seen the sender's buffer.
//
// Every byte depends on the key and on its position, so a lost, doubled, swapped or shifted piece shows.
// Bytes are made and compared by the block, of which a sanitizer sees one access.
// Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "support/sanitized.hpp"

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

STARLING_UNWATCHED inline std::uint64_t pattern_word(std::uint64_t key, std::size_t word) {
  return key + (word + 1) * 0x9e3779b97f4a7c15u + ((word * word) << 20);
}

inline unsigned char pattern_byte(std::uint64_t key, std::size_t position) {
  return static_cast<unsigned char>(pattern_word(key, position / 8) >> (position % 8 * 8));
}

/// A part of a pattern, in a buffer of its own.
struct PatternBlock {
  static constexpr std::size_t kWords = 256;
  static constexpr std::size_t kBytes = 8 * kWords;
  std::uint64_t words[kWords];

  STARLING_UNWATCHED PatternBlock(std::uint64_t key, std::size_t first_byte) {
    for (std::size_t word = 0; word < kWords; ++word) words[word] = pattern_word(key, first_byte / 8 + word);
  }
};

inline void fill_pattern(void* buffer, std::size_t bytes, std::uint64_t key) {
  auto* out = static_cast<unsigned char*>(buffer);
  for (std::size_t done = 0; done < bytes; done += PatternBlock::kBytes) {
    const PatternBlock block(key, done);
    std::memcpy(out + done, block.words, std::min(bytes - done, PatternBlock::kBytes));
  }
}

/// The position of the first wrong byte, or -1.
inline std::ptrdiff_t first_wrong_byte(const void* buffer, std::size_t bytes, std::uint64_t key) {
  const auto* in = static_cast<const unsigned char*>(buffer);
  std::size_t done = 0;
  for (; done < bytes; done += PatternBlock::kBytes) {
    const PatternBlock block(key, done);
    if (std::memcmp(in + done, block.words, std::min(bytes - done, PatternBlock::kBytes)) != 0) break;
  }
  for (; done < bytes; ++done) {
    if (in[done] != pattern_byte(key, done)) return static_cast<std::ptrdiff_t>(done);
  }
  return -1;
}

inline bool are_equal(std::span<const std::byte> one, std::span<const std::byte> other) {
  return one.size() == other.size() && (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

/// Whether each of them is `byte`.
inline bool are_all(std::span<const std::byte> bytes, std::byte byte) {
  return are_equal(bytes, std::vector<std::byte>(bytes.size(), byte));
}

inline std::vector<unsigned char> pattern(std::size_t bytes, std::uint64_t key) {
  std::vector<unsigned char> buffer(bytes);
  fill_pattern(buffer.data(), bytes, key);
  return buffer;
}

}  // namespace starling::tests
