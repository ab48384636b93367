// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/node_blocks.hpp"

#include <algorithm>

namespace starling::collective {

NodeBlocks::NodeBlocks(Call& call, const void* buffer, std::int64_t count, const datatype::Datatype& type)
    : call_(call),
      levels_(Levels::of(call)),
      user_(const_cast<void*>(buffer)),
      count_(count),
      type_(type),
      block_(count * type.size()) {
  const bool lies_right = levels_.in_order() && type.is_contiguous() && type.size() == type.extent();
  if (lies_right && buffer != nullptr) {
    data_ = static_cast<std::byte*>(user_) + type.true_lb();
    return;
  }
  copy_ = PooledMemory(call, block_ * call.size());
  data_ = copy_.data();
}

void NodeBlocks::take(std::int32_t rank) {
  if (copy_.data() == nullptr) return;
  const auto place = std::ranges::find(levels_.by_node(), rank) - levels_.by_node().begin();
  call_.copy(element(static_cast<const void*>(user_), rank * count_, type_), count_, type_, data_ + place * block_,
             block_, byte_type());
}

void NodeBlocks::take_all() {
  for (std::int32_t rank = 0; rank < call_.size() && copy_.data() != nullptr; ++rank) take(rank);
}

void NodeBlocks::put_back_all() {
  if (copy_.data() == nullptr) return;
  const std::byte* from = data_;
  for (const std::int32_t rank : levels_.by_node()) {
    call_.copy(from, block_, byte_type(), element(user_, rank * count_, type_), count_, type_);
    from += block_;
  }
}

NodeBlocks::Division NodeBlocks::division() const {
  Division made;
  for (std::int32_t node = 0; node < levels_.nodes(); ++node) {
    made.counts.push_back(bytes_of_node(node));
    made.displs.push_back(levels_.begins()[static_cast<std::size_t>(node)] * block_);
  }
  return made;
}

}  // namespace starling::collective
