// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather and gatherv: every rank sends its block straight to the root.
// Limits: linear in the ranks. Cost: (p - 1) * (alpha + b * beta). Source: MPI-5.0, 6.5.
#include "collective/binomial_tree.hpp"
#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {

Task gather_linear(Call& call, const Arguments& a) {
  if (call.rank() != a.root) {
    co_await call.send(a.send_buffer, a.send_count, *a.send_type, a.root);
    co_return;
  }
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks =
      a.operation == Operation::kGatherv ? Blocks(a.receive_counts, a.receive_displs) : Blocks(a.receive_count);
  Batch batch(call);
  for (std::int32_t from = 0; from < call.size(); ++from) {
    void* place = element(a.receive_buffer, blocks.displacement(from), type);
    if (from != a.root) {
      batch.add(call.receive(place, blocks.count(from), type, from));
    } else if (!a.in_place) {
      call.copy(a.send_buffer, a.send_count, *a.send_type, place, blocks.count(from), type);
    }
  }
  co_await batch;
}

const Algorithm gather_linear_algorithm = {
    Operation::kGather, "linear", kNothing, Order::kRanks, &gather_linear, &blocks_straight_cost, kBlocksStraightCost,
};
const Algorithm gatherv_linear_algorithm = {
    Operation::kGatherv, "linear", kNothing, Order::kRanks, &gather_linear, &blocks_straight_cost, kBlocksStraightCost,
};

}  // namespace starling::collective
