// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter straight: every rank sends every other one that rank's block, and combines in rank order what all have
// sent it. So the order of the reduction depends on nothing, and no block waits for another. Limits: ranks on several
// nodes, 64 of them, vectors up to 1 MiB, for a rank has as much memory for what comes.
// Cost: 1.2 * (alpha + (p - 2) * next) + (p - 1) / p * m * (beta + gamma). Source: MPI-5.0, 6.10.
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {

Task reduce_scatter_linear(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const std::int64_t mine = blocks.count(me);
  Scratch places(call, mine * ranks, type);
  if (!places) co_return;
  const auto place = [&](std::int32_t rank) { return element(places.data(), rank * mine, type); };
  const auto contribution = [&](std::int32_t rank) { return element(input(a), blocks.displacement(rank), type); };
  Batch batch(call);
  for (std::int32_t step = 1; step < ranks; ++step) {
    const std::int32_t from = (me - step + ranks) % ranks;
    batch.add(call.receive(place(from), mine, type, from));
  }
  for (std::int32_t step = 1; step < ranks; ++step) {
    const std::int32_t to = (me + step) % ranks;
    batch.add(call.send(contribution(to), blocks.count(to), type, to));
  }
  call.copy(contribution(me), place(me), mine, type);  // while the others' blocks are on their way
  co_await batch;
  for (std::int32_t rank = ranks - 2; rank >= 0; --rank) call.reduce(place(rank), place(ranks - 1), mine, type);
  call.copy(place(ranks - 1), a.receive_buffer, mine, type);
}

namespace {

double reduce_scatter_linear_cost(const Shape& shape, const Machine& machine) {
  const double part = static_cast<double>(shape.bytes) / shape.ranks;
  return windows_cost(shape.ranks, part, machine) +
         ((shape.ranks - 1) * part * machine.reduce_byte_ns + 2 * part * machine.own_byte_ns) *
             machine.share(shape.ranks);
}

constexpr Algorithm reduce_scatter_linear_for(Operation operation) {
  return {operation,
          "linear",
          kBetweenNodes,
          Order::kRanks,
          &reduce_scatter_linear,
          &reduce_scatter_linear_cost,
          "1.2 * (alpha + (p - 2) * next) + (p - 1) / p * m * (beta + gamma)",
          [](const Shape& shape) { return shape.ranks <= kWindow && shape.bytes <= 1 << 20; }};
}

}  // namespace

const Algorithm reduce_scatter_linear_algorithm = reduce_scatter_linear_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_linear_algorithm = reduce_scatter_linear_for(Operation::kReduceScatterBlock);

}  // namespace starling::collective
