// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter pairwise: in step k every rank sends the rank k ahead that rank's block and combines the one it gets.
// Between nodes the messages of the next step begin before those of this one have ended, for a long one asks its
// receiver for a place first.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.7.
// Limits: commutative operators, long vectors. Cost: (p - 1) * alpha + (p - 1) / p * m * (beta + gamma); between
// nodes half as many alphas.
#include <algorithm>
#include <cmath>

#include "collective/choose/list.hpp"
#include "collective/choose/shape.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_scatter_pairwise(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const std::int32_t ranks = call.size();
  const std::int64_t mine = blocks.count(call.rank());
  // In place the result would lie on what is still to be sent.
  const Scratch aside(call, a.in_place ? mine : 0, type);
  const std::int32_t ahead = distance_of(call.comm()) == tuning::Distance::kNetwork ? 1 : 0;
  const Scratch incoming(call, ranks > 2 ? (1 + ahead) * mine : 0, type);
  if (!aside || !incoming) co_return;
  void* const result = a.in_place ? aside.data() : a.receive_buffer;
  const auto contribution = [&](std::int32_t rank) { return element(input(a), blocks.displacement(rank), type); };
  const auto arrival = [&](std::int32_t step) {
    return step == 1 ? result : element(incoming.data(), step % (1 + ahead) * mine, type);
  };
  if (ranks == 1) call.copy(contribution(0), result, mine, type);
  Batch steps[] = {Batch(call), Batch(call)};  // those that have begun
  std::int32_t begun = 0;
  for (std::int32_t step = 1; step < ranks; ++step) {
    while (begun < std::min(step + ahead, ranks - 1)) {
      ++begun;
      const std::int32_t to = (call.rank() + begun) % ranks;
      Batch& batch = steps[begun % 2];
      batch.add(call.receive(arrival(begun), mine, type, (call.rank() - begun + ranks) % ranks));
      batch.add(call.send(contribution(to), blocks.count(to), type, to));
    }
    Batch& current = steps[step % 2];
    co_await current;
    call.reduce(step == 1 ? contribution(call.rank()) : arrival(step), result, mine, type);
  }
  if (a.in_place) call.copy(result, a.receive_buffer, mine, type);
}

namespace {

double reduce_scatter_pairwise_cost(const Shape& shape, const Machine& machine) {
  const double part = static_cast<double>(shape.bytes) / shape.ranks;
  const double messages = shape.ranks - 1;
  const double steps = shape.distance == tuning::Distance::kNetwork ? std::ceil(messages / 2) : messages;
  return machine.exchanges(steps, messages, part, shape.ranks) +
         (shape.ranks - 1) * part * machine.reduce_byte_ns * machine.share(shape.ranks);
}

constexpr Algorithm reduce_scatter_pairwise_for(Operation operation) {
  return {operation,
          "pairwise",
          kCommutative,
          Order::kAny,
          &reduce_scatter_pairwise,
          &reduce_scatter_pairwise_cost,
          "(p - 1) * (alpha + m / p * (beta + gamma)), between nodes (p - 1) / 2 * alpha"};
}

}  // namespace

const Algorithm reduce_scatter_pairwise_algorithm = reduce_scatter_pairwise_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_pairwise_algorithm = reduce_scatter_pairwise_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
