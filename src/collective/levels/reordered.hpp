// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reordered: a vector that has a block for each rank, with its blocks in another order of the ranks: node by node, or
// place by place, as a reduction that leaves each group of ranks their part wants them. Where ranks have that order
// already it is the vector itself. Thread safety: none; belongs to one coroutine.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/arguments/blocks.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

class Reordered {
 public:
  /// vector: the blocks in rank order, one behind the other. order: all ranks.
  Reordered(Call& call, const void* vector, const Blocks& blocks, const std::vector<std::int32_t>& order,
            const datatype::Datatype& type);

  /// Null when memory was short.
  [[nodiscard]] const void* data() const noexcept { return data_; }

 private:
  Reordered(Call& call, const void* vector, const Blocks& blocks, const std::vector<std::int32_t>& order,
            const datatype::Datatype& type, bool in_order);

  Scratch copy_;
  const void* data_;
};

}  // namespace starling::collective
