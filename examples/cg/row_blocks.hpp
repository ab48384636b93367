// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Row blocks: which rank owns which rows. The first rows % ranks ranks hold one row more than the others.
// Thread safety: a value. Invariants: blocks are contiguous, ascending and cover [0, rows); a block may be empty.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cg {

class RowBlocks {
 public:
  RowBlocks(std::int64_t rows, int ranks) : rows_(rows), short_(rows / ranks), long_blocks_(rows % ranks) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t begin(int rank) const {
    return rank * short_ + std::min<std::int64_t>(rank, long_blocks_);
  }
  [[nodiscard]] std::int64_t end(int rank) const { return begin(rank + 1); }
  [[nodiscard]] std::int64_t count(int rank) const { return end(rank) - begin(rank); }

  [[nodiscard]] int owner(std::int64_t row) const {
    const std::int64_t in_long_blocks = long_blocks_ * (short_ + 1);
    if (row < in_long_blocks) return static_cast<int>(row / (short_ + 1));
    return static_cast<int>(long_blocks_ + (row - in_long_blocks) / short_);
  }

 private:
  std::int64_t rows_;
  std::int64_t short_;
  std::int64_t long_blocks_;
};

}  // namespace cg
