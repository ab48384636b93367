// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/reordered.hpp"

#include <algorithm>

namespace starling::collective {

Reordered::Reordered(Call& call, const void* vector, const Blocks& blocks, const std::vector<std::int32_t>& order,
                     const datatype::Datatype& type)
    : Reordered(call, vector, blocks, order, type, std::ranges::is_sorted(order)) {}

Reordered::Reordered(Call& call, const void* vector, const Blocks& blocks, const std::vector<std::int32_t>& order,
                     const datatype::Datatype& type, bool in_order)
    : copy_(call, in_order ? 0 : blocks.total(call.size()), type), data_(in_order ? vector : copy_.data()) {
  if (in_order) return;
  if (data_ == nullptr) return;
  std::vector<std::int64_t> begins;
  std::int64_t begin = 0;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    begins.push_back(begin);
    begin += blocks.count(rank);
  }
  std::int64_t at = 0;
  for (const std::int32_t rank : order) {
    const std::int64_t count = blocks.count(rank);
    call.copy(element(vector, begins[static_cast<std::size_t>(rank)], type), element(copy_.data(), at, type), count,
              type);
    at += count;
  }
}

}  // namespace starling::collective
