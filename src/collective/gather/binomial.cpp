// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather up a binomial tree; each rank passes on its own block and those of the ranks below it, packed.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.4.
// Limits: none. Cost: log2 p * alpha + (p - 1) * b * beta at the root.
#include "collective/binomial_tree.hpp"
#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {
namespace {

void unpack_blocks(Call& call, const Arguments& a, const BinomialTree& tree, const std::byte* blocks,
                   std::int64_t block_bytes) {
  const datatype::Datatype& bytes = datatype::predefined(datatype::Basic::kByte);
  for (std::int32_t place = 1; place < call.size(); ++place) {
    call.copy(blocks + place * block_bytes, block_bytes, bytes,
              element(a.receive_buffer, tree.rank(place) * a.receive_count, *a.receive_type), a.receive_count,
              *a.receive_type);
  }
}

}  // namespace

Task gather_binomial(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  const bool root = tree.at_top();
  const std::int64_t block = root ? a.receive_count * a.receive_type->size() : a.send_count * a.send_type->size();
  Memory blocks(call, tree.width() * block);
  if (!blocks.data()) co_return;
  if (!root) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, blocks.data(), block,
              datatype::predefined(datatype::Basic::kByte));
  } else if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type,
              element(a.receive_buffer, a.root * a.receive_count, *a.receive_type), a.receive_count, *a.receive_type);
  }
  Batch children(call);
  for (std::int32_t i = 0; i < tree.children(); ++i) {
    const BinomialTree::Child child = tree.child(i);
    children.add(call.receive_bytes(blocks.data() + child.distance * block, child.width * block, child.rank));
  }
  co_await children;
  if (root) {
    unpack_blocks(call, a, tree, blocks.data(), block);
  } else {
    co_await call.send_bytes(blocks.data(), tree.width() * block, tree.parent());
  }
}

const Algorithm gather_binomial_algorithm = {
    Operation::kGather,     "binomial",          kNothing, Order::kRanks, &gather_binomial,
    &blocks_over_tree_cost, kBlocksOverTreeCost,
};

}  // namespace starling::collective
