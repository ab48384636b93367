// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather up a binomial tree; each rank passes on its own block and those of the ranks below it, packed. What reaches
// the root lands where it belongs, so a subtree that passes the last rank comes in two messages. Source: Thakur,
// Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.4. Limits: none. Cost:
// log2 p * alpha + (p - 1) * b * beta + own at the root.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

Task gather_at_root(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  const datatype::Datatype& type = *a.receive_type;
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, rank * a.receive_count, type); };
  Batch children(call);
  for (std::int32_t i = 0; i < tree.children(); ++i) {
    const BinomialTree::Child child = tree.child(i);
    for (const RankRange& range : ranges(child.rank, child.width, call.size())) {
      if (range.count > 0) {
        children.add(call.receive(place(range.first), range.count * a.receive_count, type, child.rank));
      }
    }
  }
  if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, place(a.root), a.receive_count, type);
  }
  co_await children;
}

/// The subtree's blocks, packed, to the parent.
Task pass_on(Call& call, const BinomialTree& tree, const std::byte* blocks, std::int64_t block) {
  const std::int32_t first = tree.below_top() ? std::min(tree.width(), call.size() - call.rank()) : tree.width();
  Batch parts(call);
  parts.add(call.send_bytes(blocks, first * block, tree.parent()));
  if (first < tree.width()) {
    parts.add(call.send_bytes(blocks + first * block, (tree.width() - first) * block, tree.parent()));
  }
  co_await parts;
}

}  // namespace

Task gather_binomial(Call& call, const Arguments& a) {
  const BinomialTree tree(call, a.root);
  if (tree.at_top()) {
    co_await gather_at_root(call, a);
    co_return;
  }
  if (tree.children() == 0) {
    co_await call.send(a.send_buffer, a.send_count, *a.send_type, tree.parent());
    co_return;
  }
  const std::int64_t block = a.send_count * a.send_type->size();
  PooledMemory blocks(call, tree.width() * block);
  if (!blocks.data()) co_return;
  Batch children(call);
  for (std::int32_t i = 0; i < tree.children(); ++i) {
    const BinomialTree::Child child = tree.child(i);
    children.add(call.receive_bytes(blocks.data() + child.distance * block, child.width * block, child.rank));
  }
  call.copy(a.send_buffer, a.send_count, *a.send_type, blocks.data(), block, datatype::byte_type());
  co_await children;
  co_await pass_on(call, tree, blocks.data(), block);
}

const Algorithm gather_binomial_algorithm = {
    Operation::kGather,     "binomial",          kNothing, Order::kRanks, &gather_binomial,
    &blocks_over_tree_cost, kBlocksOverTreeCost,
};

}  // namespace starling::collective
