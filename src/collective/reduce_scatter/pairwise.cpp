// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter pairwise: in step k every rank sends the rank k ahead that rank's block and combines the one it gets.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.7.
// Limits: commutative operators, long vectors. Cost: (p - 1) * alpha + (p - 1) / p * m * (beta + gamma).
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_scatter_pairwise(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const std::int32_t ranks = call.size();
  const std::int64_t mine = blocks.count(call.rank());
  // In place the result would lie on what is still to be sent.
  const Scratch aside(call, a.in_place ? mine : 0, type);
  const Scratch incoming(call, ranks > 2 ? mine : 0, type);
  if (!aside || !incoming) co_return;
  void* const result = a.in_place ? aside.data() : a.receive_buffer;
  const auto contribution = [&](std::int32_t rank) { return element(input(a), blocks.displacement(rank), type); };
  if (ranks == 1) call.copy(contribution(0), result, mine, type);
  for (std::int32_t step = 1; step < ranks; ++step) {
    const std::int32_t to = (call.rank() + step) % ranks;
    void* const arrival = step == 1 ? result : incoming.data();
    Batch batch(call);
    batch.add(call.receive(arrival, mine, type, (call.rank() - step + ranks) % ranks));
    batch.add(call.send(contribution(to), blocks.count(to), type, to));
    co_await batch;
    call.reduce(step == 1 ? contribution(call.rank()) : arrival, result, mine, type);
  }
  if (a.in_place) call.copy(result, a.receive_buffer, mine, type);
}

namespace {

double reduce_scatter_pairwise_cost(const Shape& shape, const Machine& machine) {
  const double part = static_cast<double>(shape.bytes) / shape.ranks;
  return machine.exchanges(shape.ranks - 1, part, shape.ranks) +
         (shape.ranks - 1) * part * machine.reduce_byte_ns * machine.share(shape.ranks);
}

constexpr Algorithm reduce_scatter_pairwise_for(Operation operation) {
  return {operation,
          "pairwise",
          kCommutative,
          Order::kAny,
          &reduce_scatter_pairwise,
          &reduce_scatter_pairwise_cost,
          "(p - 1) * (alpha + m / p * (beta + gamma))"};
}

}  // namespace

const Algorithm reduce_scatter_pairwise_algorithm = reduce_scatter_pairwise_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_pairwise_algorithm = reduce_scatter_pairwise_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
