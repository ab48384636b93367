// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// BlockEntry: what a rank that leaves blocks for others in shared memory says of each, in a table of one for each rank:
// how long it is and where it lies, or that it is sent. Thread safety: a value.
#pragma once

#include <cstdint>

#include "base/cpu.hpp"

namespace starling::collective {

struct BlockEntry {
  std::int32_t bytes;   ///< of a block that is there
  std::int32_t offset;  ///< in what the rank has left; kMessage: it is sent

  static constexpr std::int32_t kMessage = -1;
};
static_assert(sizeof(BlockEntry) == 8);

inline std::int64_t table_bytes(std::int32_t ranks) noexcept {
  return ranks * static_cast<std::int64_t>(sizeof(BlockEntry));
}

/// Where a block lies behind one that ends at `end`. A long one begins a cache line: copies of what does not take up to
/// twice as long.
inline std::int64_t begin_of_block(std::int64_t bytes, std::int64_t end) noexcept {
  constexpr std::int64_t kLong = 512;
  constexpr auto kLine = static_cast<std::int64_t>(kCacheLine);
  return bytes < kLong ? end : (end + kLine - 1) / kLine * kLine;
}

}  // namespace starling::collective
