// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather and gatherv, also between two groups: every rank sends its block straight to the root.
// Limits: linear in the ranks. Cost: alpha + (p - 2) * next + (p - 1) * b * beta + own. Source: MPI-5.0, 6.5.
#include "collective/arguments/roles.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

Task gather_linear(Call& call, const Arguments& a) {
  if (looks_on(a)) co_return;
  if (!at_root(a)) {
    // An empty block is no message: the root knows that it is empty.
    if (a.send_count * a.send_type->size() > 0) {
      co_await call.send(a.send_buffer, a.send_count, *a.send_type, a.root);
    }
    co_return;
  }
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks =
      a.operation == Operation::kGatherv ? Blocks(a.receive_counts, a.receive_displs) : Blocks(a.receive_count);
  Batch batch(call);
  for (std::int32_t from = 0; from < a.comm->addressed_size(); ++from) {
    void* place = element(a.receive_buffer, blocks.displacement(from), type);
    if (!is_self(a, from)) {
      if (blocks.count(from) * type.size() > 0) batch.add(call.receive(place, blocks.count(from), type, from));
    } else if (!a.in_place) {
      call.copy(a.send_buffer, a.send_count, *a.send_type, place, blocks.count(from), type);
    }
  }
  co_await batch;
}

const Algorithm gather_linear_algorithm = {
    Operation::kGather, "linear", kAlsoInter, Order::kRanks, &gather_linear, &blocks_straight_cost, kBlocksStraightCost,
};
const Algorithm gatherv_linear_algorithm = {
    Operation::kGatherv, "linear", kAlsoInter, Order::kRanks,         &gather_linear, &blocks_straight_cost,
    kBlocksStraightCost, nullptr,  nullptr,    &nothing_without_data,
};

}  // namespace starling::collective
