// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast as a scatter down a binomial tree and an allgather around a ring, so that no rank moves more than about
// twice the message. Source: van de Geijn, Barnett et al., "Interprocessor Collective Communication Library", 1994.
// Limits: pays with at least a few hundred bytes for each rank. Cost: (log2 p + p - 1) * alpha + 2 * (p - 1) / p * m *
// beta.
#include <algorithm>

#include "collective/binomial_tree.hpp"
#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {
namespace {

/// Leaves part `me` and those of the ranks below it in the tree at this rank.
Task scatter_parts(Call& call, std::byte* data, Parts parts, std::int32_t root) {
  const BinomialTree tree(call, root);
  const auto start = [&](std::int32_t place) { return parts.begin(place); };
  const std::int32_t me = tree.place();
  if (!tree.at_top())
    co_await call.receive_bytes(data + start(me), start(me + tree.width()) - start(me), tree.parent());
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    const BinomialTree::Child child = tree.child(i);
    const std::int64_t first = start(me + child.distance);
    children.add(call.send_bytes(data + first, start(me + child.distance + child.width) - first, child.rank));
  }
  co_await children;
}

Task gather_parts(Call& call, std::byte* data, Parts parts, std::int32_t root) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - root + ranks) % ranks;
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (me - step + ranks) % ranks;
    const std::int32_t in = (me - step - 1 + ranks) % ranks;
    Batch batch(call);
    batch.add(call.receive_bytes(data + parts.begin(in), parts.length(in), (call.rank() - 1 + ranks) % ranks));
    batch.add(call.send_bytes(data + parts.begin(out), parts.length(out), (call.rank() + 1) % ranks));
    co_await batch;
  }
}

}  // namespace

Task bcast_scatter_allgather(Call& call, const Arguments& a) {
  const auto use = call.rank() == a.root ? Packed::Use::kRead : Packed::Use::kWrite;
  Packed data(call, use, a.receive_buffer, a.receive_count, *a.receive_type);
  if (!data) co_return;
  const Parts parts{data.bytes(), call.size()};
  co_await scatter_parts(call, data.data(), parts, a.root);
  co_await gather_parts(call, data.data(), parts, a.root);
  if (call.rank() != a.root) data.commit();
}

const Algorithm bcast_scatter_allgather_algorithm = {
    Operation::kBcast,
    "scatter_allgather",
    kNothing,
    Order::kRanks,
    &bcast_scatter_allgather,
    [](const Shape& shape, const Machine& machine) {
      const double part = static_cast<double>(shape.bytes) / shape.ranks;
      return machine.messages(log2_ceil(shape.ranks), part * shape.ranks / (log2_ceil(shape.ranks) + 1), shape.ranks) +
             machine.exchanges(shape.ranks - 1, part, shape.ranks);
    },
    "(log2(p) + p - 1) * alpha + 2 * (p - 1) / p * m * beta",
};

}  // namespace starling::collective
