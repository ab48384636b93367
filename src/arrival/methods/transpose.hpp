// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Turns a block of 64 times 64 bits: bit j of word i becomes bit i of word j.
#pragma once

#include <cstdint>

namespace starling::arrival {

inline void transpose(std::uint64_t (&block)[64]) noexcept {
  std::uint64_t mask = 0x00000000ffffffff;
  for (int width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (int i = 0; i < 64; i = ((i | width) + 1) & ~width) {
      const std::uint64_t swap = ((block[i] >> width) ^ block[i | width]) & mask;
      block[i] ^= swap << width;
      block[i | width] ^= swap;
    }
  }
}

}  // namespace starling::arrival
