// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/halving.hpp"

#include "collective/choose/list.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_scatter_halving(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const Blocks blocks = result_blocks(a);
  const Folding folding = Folding::of(call.size());
  std::vector<std::int64_t> starts;
  std::int64_t at = 0;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const bool odd_of_pair = rank < 2 * folding.extra && rank % 2 == 1;
    if (!odd_of_pair) starts.push_back(at);
    at += blocks.count(rank);
  }
  starts.push_back(at);

  Scratch data(call, at, type);
  if (!data) co_return;
  call.copy(input(a), data.data(), at, type);
  co_await reduce_halves(call, data.data(), starts, type);

  const std::int64_t mine = blocks.count(call.rank());
  if (folding.participant(call.rank()) == Folding::kNone) {
    co_await call.receive(a.receive_buffer, mine, type, call.rank() + 1);
    co_return;
  }
  if (call.rank() < 2 * folding.extra) {
    const void* neighbours = element(data.data(), blocks.displacement(call.rank() - 1), type);
    co_await call.send(neighbours, blocks.count(call.rank() - 1), type, call.rank() - 1);
  }
  call.copy(element(data.data(), blocks.displacement(call.rank()), type), a.receive_buffer, mine, type);
}

namespace {

double halving_cost(const Shape& shape, const Machine& machine) {
  const double last = Folding::of(shape.ranks).extra != 0 ? 1 : 0;
  return reduce_halves_cost(shape, machine) +
         machine.messages(last, static_cast<double>(shape.bytes) / shape.ranks, shape.ranks) +
         copied_cost(shape, machine);
}

constexpr const char* kHalvingCost = "log2(p) * alpha + m * (beta + gamma) + own";

}  // namespace

const Algorithm reduce_scatter_halving_algorithm = {
    Operation::kReduceScatter, "halving",     kCommutative, Order::kAny,
    &reduce_scatter_halving,   &halving_cost, kHalvingCost,
};
const Algorithm reduce_scatter_block_halving_algorithm = {
    Operation::kReduceScatterBlock, "halving",     kCommutative, Order::kAny,
    &reduce_scatter_halving,        &halving_cost, kHalvingCost,
};

}  // namespace starling::collective
