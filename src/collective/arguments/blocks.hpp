// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a gather, scatter, allgather or reduce_scatter lie. Thread safety: a value type.
#pragma once

#include <cstdint>

#include "base/counts.hpp"

namespace starling::collective {

/// The blocks of a v or plain form: how many elements each rank's has and where it starts.
class Blocks {
 public:
  /// Blocks of the same length, one behind the other.
  explicit Blocks(std::int64_t count) noexcept : uniform_(count) {}
  /// Blocks as given.
  Blocks(Counts counts, Counts displs) noexcept : counts_(counts), displs_(displs) {}
  /// Blocks of given lengths, one behind the other.
  static Blocks packed(Counts counts) noexcept { return Blocks(counts, Counts()); }

  [[nodiscard]] std::int64_t count(std::int32_t rank) const noexcept {
    return counts_.given() ? counts_[rank] : uniform_;
  }
  /// In elements. O(rank) for packed blocks.
  [[nodiscard]] std::int64_t displacement(std::int32_t rank) const noexcept;
  [[nodiscard]] std::int64_t total(std::int32_t ranks) const noexcept;

 private:
  std::int64_t uniform_ = 0;
  Counts counts_;
  Counts displs_;
};

}  // namespace starling::collective
