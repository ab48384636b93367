// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter and scatterv, also between two groups: the root sends every rank its block.
// With more ranks than cores short blocks wait for nobody (see bcast/linear.cpp).
// Limits: linear in the ranks. Cost: alpha + (p - 2) * next + (p - 1) * b * beta + own. Source: MPI-5.0, 6.6.
#include "collective/arguments/roles.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

Task scatter_linear(Call& call, const Arguments& a) {
  if (looks_on(a)) co_return;
  if (!at_root(a)) {
    // An empty block is no message: the root knows that it is empty.
    if (a.receive_count * a.receive_type->size() > 0) {
      co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
    }
    co_return;
  }
  const datatype::Datatype& type = *a.send_type;
  const Blocks blocks =
      a.operation == Operation::kScatterv ? Blocks(a.send_counts, a.send_displs) : Blocks(a.send_count);
  Batch batch(call);
  for (std::int32_t to = 0; to < a.comm->addressed_size(); ++to) {
    const void* block = element(a.send_buffer, blocks.displacement(to), type);
    if (!is_self(a, to)) {
      if (blocks.count(to) * type.size() > 0) batch.add(call.send(block, blocks.count(to), type, to));
    } else if (!a.in_place) {
      call.copy(block, blocks.count(to), type, a.receive_buffer, a.receive_count, *a.receive_type);
    }
  }
  co_await batch;
}

const Algorithm scatter_linear_algorithm = {
    Operation::kScatter, "linear", kAlsoInter, Order::kRanks, &scatter_linear, &blocks_dealt_cost, kBlocksDealtCost,
};
const Algorithm scatterv_linear_algorithm = {
    Operation::kScatterv, "linear",         kAlsoInter, Order::kRanks, &scatter_linear,
    &blocks_dealt_cost,   kBlocksDealtCost, nullptr,    nullptr,       &nothing_without_data,
};

}  // namespace starling::collective
