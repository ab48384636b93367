// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv around a ring: in each step every rank passes on the block that it got last.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.1.
// Limits: long blocks. Cost: (p - 1) * (alpha + b * beta) + own.
#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"

namespace starling::collective {

Task allgather_ring(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = gathered_blocks(a);
  if (ranks == 1) place_own_block(call, a);
  const auto place = [&](std::int32_t rank) { return element(a.receive_buffer, blocks.displacement(rank), type); };
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (me - step + ranks) % ranks;
    const std::int32_t in = (me - step - 1 + ranks) % ranks;
    Batch batch(call);
    batch.add(call.receive(place(in), blocks.count(in), type, (me - 1 + ranks) % ranks));
    if (step == 0) {
      batch.add(send_own_block(call, a, (me + 1) % ranks));
      place_own_block(call, a);
    } else {
      batch.add(call.send(place(out), blocks.count(out), type, (me + 1) % ranks));
    }
    co_await batch;
  }
}

const Algorithm allgather_ring_algorithm = {
    Operation::kAllgather,
    "ring",
    kNothing,
    Order::kRanks,
    &allgather_ring,
    [](const Shape& shape, const Machine& machine) {
      return around_ring(shape, machine).exchanges(shape.ranks - 1, static_cast<double>(shape.bytes), shape.ranks) +
             own_block_ns(shape, machine, static_cast<double>(shape.bytes)) * machine.share(shape.ranks);
    },
    "(p - 1) * (alpha + b * beta) + own",
};
const Algorithm allgatherv_ring_algorithm = {
    Operation::kAllgatherv,
    "ring",
    kNothing,
    Order::kRanks,
    &allgather_ring,
    [](const Shape& shape, const Machine& machine) {
      const double block = static_cast<double>(shape.bytes) / shape.ranks;
      return around_ring(shape, machine).exchanges(shape.ranks - 1, block, shape.ranks) +
             own_block_ns(shape, machine, block) * machine.share(shape.ranks);
    },
    "(p - 1) * (alpha + m / p * beta) + own",
};

}  // namespace starling::collective
