// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/arguments/blocks.hpp"

namespace starling::collective {

std::int64_t Blocks::displacement(std::int32_t rank) const noexcept {
  if (displs_.given()) return displs_[rank];
  if (!counts_.given()) return rank * uniform_;
  std::int64_t sum = 0;
  for (std::int32_t before = 0; before < rank; ++before) sum += counts_[before];
  return sum;
}

std::int64_t Blocks::total(std::int32_t ranks) const noexcept {
  if (!counts_.given()) return ranks * uniform_;
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) sum += counts_[rank];
  return sum;
}

}  // namespace starling::collective
