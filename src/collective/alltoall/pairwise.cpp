// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall, alltoallv and alltoallw pairwise: in step k every rank sends to the rank k ahead and receives from the rank
// k behind. Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005, 4.6. Limits: none. Cost: (p - 1) * (alpha + b * beta) + own.
#include "collective/choose/list.hpp"
#include "collective/parts/lanes.hpp"

namespace starling::collective {

Task alltoall_pairwise(Call& call, const Arguments& a) {
  Lanes lanes(call, a);
  if (!lanes) co_return;
  if (call.size() == 1) lanes.keep_own();
  const std::int32_t ranks = call.size();
  for (std::int32_t step = 1; step < ranks; ++step) {
    const std::int32_t from = (call.rank() - step + ranks) % ranks;
    const std::int32_t to = (call.rank() + step) % ranks;
    Batch batch(call);
    lanes.receive(batch, from, from);
    lanes.send(batch, to, to);
    if (step == 1) lanes.keep_own();  // while the others' blocks are on their way
    co_await batch;
  }
}

namespace {

double pairwise_cost(const Shape& shape, const Machine& machine) {
  return machine.exchanges(shape.ranks - 1, static_cast<double>(shape.bytes), shape.ranks) +
         own_block_ns(shape, machine, static_cast<double>(shape.bytes)) * machine.share(shape.ranks);
}

constexpr const char* kPairwiseCost = "(p - 1) * (alpha + b * beta) + own";

}  // namespace

const Algorithm alltoall_pairwise_algorithm = {
    Operation::kAlltoall, "pairwise", kNothing, Order::kRanks, &alltoall_pairwise, &pairwise_cost, kPairwiseCost,
};
const Algorithm alltoallv_pairwise_algorithm = {
    Operation::kAlltoallv, "pairwise",    kNothing, Order::kRanks, &alltoall_pairwise,
    &pairwise_cost,        kPairwiseCost, nullptr,  nullptr,       &nothing_without_data,
};
const Algorithm alltoallw_pairwise_algorithm = {
    Operation::kAlltoallw, "pairwise",    kNothing, Order::kRanks, &alltoall_pairwise,
    &pairwise_cost,        kPairwiseCost, nullptr,  nullptr,       &nothing_without_data,
};

}  // namespace starling::collective
