// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// BlockEntry: what a rank that leaves blocks for others in shared memory says of each, in a table of one for each rank:
// how long it is and where it lies, or that it is sent. Thread safety: a value.
#pragma once

#include <cstdint>

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

}  // namespace starling::collective
