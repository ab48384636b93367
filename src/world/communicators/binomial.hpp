// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A binomial tree over ranks 0 to size-1 with rank 0 at its root: rank r's parent is r - step, and its children are
// r + step/2, r + step/4, ..., r + 1, as far as they exist.
// Thread safety: no state.
#pragma once

#include <cstdint>

namespace starling::world {

/// The step of a rank: its lowest set bit, or for the root a power of two that covers all.
[[nodiscard]] constexpr std::int32_t binomial_step(std::int32_t rank, std::int32_t size) noexcept {
  std::int32_t step = 1;
  while (step < size && (rank & step) == 0) step *= 2;
  return step;
}

}  // namespace starling::world
