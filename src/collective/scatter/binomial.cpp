// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a binomial tree; each rank gets its own block and those of the ranks below it, packed. What leaves the
// root is sent from where it lies, so a subtree that passes the last rank goes in two messages.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.3.
// Limits: none. Cost: log2 p * alpha + (p - 1) * b * beta + own at the root; more where children share a link.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

Task scatter_from_root(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  const datatype::Datatype& type = *a.send_type;
  const auto place = [&](std::int32_t rank) { return element(a.send_buffer, rank * a.send_count, type); };
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    const BinomialTree::Child child = tree.child(i);
    for (const RankRange& range : ranges(child.rank, child.width, call.size())) {
      if (range.count > 0) {
        children.add(call.send(place(range.first), range.count * a.send_count, type, child.rank));
      }
    }
  }
  if (!a.in_place) {
    call.copy(place(a.root), a.send_count, type, a.receive_buffer, a.receive_count, *a.receive_type);
  }
  co_await children;
}

/// The subtree's blocks, packed, from the parent.
Task take_over(Call& call, const BinomialTree& tree, std::byte* blocks, std::int64_t block) {
  const std::int32_t first = tree.below_top() ? std::min(tree.width(), call.size() - call.rank()) : tree.width();
  Batch parts(call);
  parts.add(call.receive_bytes(blocks, first * block, tree.parent()));
  if (first < tree.width()) {
    parts.add(call.receive_bytes(blocks + first * block, (tree.width() - first) * block, tree.parent()));
  }
  co_await parts;
}

}  // namespace

Task scatter_binomial(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  if (tree.at_top()) {
    co_await scatter_from_root(call, a);
    co_return;
  }
  if (tree.children() == 0) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, tree.parent());
    co_return;
  }
  const std::int64_t block = a.receive_count * a.receive_type->size();
  PooledMemory blocks(call, tree.width() * block);
  if (!blocks.data()) co_return;
  co_await take_over(call, tree, blocks.data(), block);
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    const BinomialTree::Child child = tree.child(i);
    children.add(call.send_bytes(blocks.data() + child.distance * block, child.width * block, child.rank));
  }
  call.copy(blocks.data(), block, datatype::byte_type(), a.receive_buffer, a.receive_count, *a.receive_type);
  co_await children;
}

const Algorithm scatter_binomial_algorithm = {
    Operation::kScatter,    "binomial",          kNothing, Order::kRanks, &scatter_binomial,
    &blocks_down_tree_cost, kBlocksDownTreeCost,
};

}  // namespace starling::collective
