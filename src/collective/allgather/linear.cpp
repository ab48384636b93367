// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv straight: every rank sends its block to every other one, as in alltoall/linear.cpp. No block
// is copied or passed on, and none waits for another. Limits: ranks on several nodes, up to 1 MiB of blocks, for longer
// ones crowd the links of who receives them. Cost: 1.2 * (alpha + (p - 2) * next) + (p - 1) * b * beta + own.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.6.
#include <algorithm>

#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {

Task allgather_linear(Call& call, const Arguments& a) {
  const Blocks blocks = gathered_blocks(a);
  const datatype::Datatype& type = *a.receive_type;
  const std::int32_t ranks = call.size();
  for (std::int32_t first = 1; first < ranks; first += kWindow) {
    const std::int32_t end = std::min(first + kWindow, ranks);
    Batch batch(call);
    for (std::int32_t step = first; step < end; ++step) {
      const std::int32_t from = (call.rank() - step + ranks) % ranks;
      batch.add(
          call.receive(element(a.receive_buffer, blocks.displacement(from), type), blocks.count(from), type, from));
    }
    for (std::int32_t step = first; step < end; ++step) {
      batch.add(send_own_block(call, a, (call.rank() + step) % ranks));
    }
    if (first == 1) place_own_block(call, a);  // while the others' blocks are on their way
    co_await batch;
  }
  if (ranks == 1) place_own_block(call, a);
}

namespace {

constexpr std::int64_t kMostBytes = 1 << 20;

double linear_cost(const Shape& shape, const Machine& machine, double block) {
  return windows_cost(shape.ranks, block, machine) + own_block_ns(shape, machine, block) * machine.share(shape.ranks);
}

}  // namespace

const Algorithm allgather_linear_algorithm = {
    Operation::kAllgather,
    "linear",
    kBetweenNodes,
    Order::kRanks,
    &allgather_linear,
    [](const Shape& shape, const Machine& machine) {
      return linear_cost(shape, machine, static_cast<double>(shape.bytes));
    },
    kWindowsCost,
    [](const Shape& shape) { return shape.bytes <= kMostBytes / shape.ranks; },
};
const Algorithm allgatherv_linear_algorithm = {
    Operation::kAllgatherv,
    "linear",
    kBetweenNodes,
    Order::kRanks,
    &allgather_linear,
    [](const Shape& shape, const Machine& machine) {
      return linear_cost(shape, machine, static_cast<double>(shape.bytes) / shape.ranks);
    },
    kWindowsCost,
    [](const Shape& shape) { return shape.bytes <= kMostBytes; },
};

}  // namespace starling::collective
