// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Alltoall, alltoallv and alltoallw with many messages under way at once, in windows, each rank starting with its
// neighbour so that no receiver is everybody's first. With more ranks than cores one turn moves a whole window.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.6.
// Limits: none.
// Cost: 1.2 * (alpha + (p - 2) * next) + (p - 1) * b * beta + own, alpha and a wait for each window of 64 ranks.
#include <algorithm>

#include "collective/choose/list.hpp"
#include "collective/parts/fan.hpp"
#include "collective/parts/lanes.hpp"

namespace starling::collective {

Task alltoall_linear(Call& call, const Arguments& a) {
  Lanes lanes(call, a);
  if (!lanes) co_return;
  if (call.size() == 1) lanes.keep_own();
  const std::int32_t ranks = call.size();
  for (std::int32_t first = 1; first < ranks; first += kWindow) {
    const std::int32_t end = std::min(first + kWindow, ranks);
    Batch batch(call);
    for (std::int32_t step = first; step < end; ++step) {
      const std::int32_t from = (call.rank() - step + ranks) % ranks;
      lanes.receive(batch, from, from);
    }
    for (std::int32_t step = first; step < end; ++step) {
      const std::int32_t to = (call.rank() + step) % ranks;
      lanes.send(batch, to, to);
    }
    if (first == 1) lanes.keep_own();  // while the others' blocks are on their way
    co_await batch;
  }
}

namespace {

double linear_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  return windows_cost(shape.ranks, bytes, machine) + own_block_ns(shape, machine, bytes) * machine.share(shape.ranks);
}

}  // namespace

const Algorithm alltoall_linear_algorithm = {
    Operation::kAlltoall, "linear", kNothing, Order::kRanks, &alltoall_linear, &linear_cost, kWindowsCost,
};
const Algorithm alltoallv_linear_algorithm = {
    Operation::kAlltoallv, "linear",     kNothing, Order::kRanks, &alltoall_linear,
    &linear_cost,          kWindowsCost, nullptr,  nullptr,       &nothing_without_data,
};
const Algorithm alltoallw_linear_algorithm = {
    Operation::kAlltoallw, "linear",     kNothing, Order::kRanks, &alltoall_linear,
    &linear_cost,          kWindowsCost, nullptr,  nullptr,       &nothing_without_data,
};

}  // namespace starling::collective
