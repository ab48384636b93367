// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a binomial tree; each rank gets its own block and those of the ranks below it, packed.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.3.
// Limits: none. Cost: log2 p * alpha + (p - 1) * b * beta at the root.
#include "collective/binomial_tree.hpp"
#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {
namespace {

void pack_blocks(Call& call, const Arguments& a, const BinomialTree& tree, std::byte* blocks,
                 std::int64_t block_bytes) {
  const datatype::Datatype& bytes = datatype::predefined(datatype::Basic::kByte);
  for (std::int32_t place = 1; place < call.size(); ++place) {
    call.copy(element(a.send_buffer, tree.rank(place) * a.send_count, *a.send_type), a.send_count, *a.send_type,
              blocks + place * block_bytes, block_bytes, bytes);
  }
}

}  // namespace

Task scatter_binomial(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  const bool root = tree.at_top();
  const std::int64_t block = root ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();
  Memory blocks(call, tree.width() * block);
  if (!blocks.data()) co_return;
  if (root) {
    pack_blocks(call, a, tree, blocks.data(), block);
  } else {
    co_await call.receive_bytes(blocks.data(), tree.width() * block, tree.parent());
  }
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    const BinomialTree::Child child = tree.child(i);
    children.add(call.send_bytes(blocks.data() + child.distance * block, child.width * block, child.rank));
  }
  if (!root) {
    call.copy(blocks.data(), block, datatype::predefined(datatype::Basic::kByte), a.receive_buffer, a.receive_count,
              *a.receive_type);
  } else if (!a.in_place) {
    call.copy(element(a.send_buffer, a.root * a.send_count, *a.send_type), a.send_count, *a.send_type, a.receive_buffer,
              a.receive_count, *a.receive_type);
  }
  co_await children;
}

const Algorithm scatter_binomial_algorithm = {
    Operation::kScatter,    "binomial",          kNothing, Order::kRanks, &scatter_binomial,
    &blocks_over_tree_cost, kBlocksOverTreeCost,
};

}  // namespace starling::collective
