// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter as a reduction to rank 0 and a scatterv: over a binomial tree ("reduce_scatterv"), where the order of
// the reduction must not depend on anything with the linear reduction ("ordered"), or around late ranks ("clairvoyant",
// of commutative operators only). Cost: reduce + (p - 1) * alpha + m * beta. Source: MPI-5.0, 6.10.
#include <limits>

#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/result_scatter.hpp"
#include "collective/parts/scheduled_reduce.hpp"

namespace starling::collective {
namespace {

using Reduce = Task (*)(Call&, const Arguments&);

Task reduce_then_scatter(Call& call, const Arguments& a, Reduce reduce) {
  const std::int64_t total = result_blocks(a).total(call.size());
  Scratch whole(call, call.rank() == 0 ? total : 0, *a.receive_type);
  if (!whole) co_return;

  Arguments first = a;
  first.operation = Operation::kReduce;
  first.root = 0;
  first.send_buffer = input(a);
  first.in_place = false;
  first.receive_buffer = whole.data();
  first.receive_count = total;
  co_await reduce(call, first);

  const ResultScatter second(call, a, whole.data());
  co_await scatter_linear(call, second.arguments());
}

}  // namespace

Task reduce_scatter_reduce_scatterv(Call& call, const Arguments& a) {
  co_await reduce_then_scatter(call, a, &reduce_binomial);
}

Task reduce_scatter_shared_scatterv(Call& call, const Arguments& a) {
  co_await reduce_then_scatter(call, a, &reduce_shared);
}

Task reduce_scatter_clairvoyant(Call& call, const Arguments& a) {
  co_await reduce_then_scatter(call, a, &reduce_clairvoyant);
}

Task reduce_scatter_ordered(Call& call, const Arguments& a) { co_await reduce_then_scatter(call, a, &reduce_linear); }

namespace {

double scatter_cost(const Shape& shape, const Machine& machine) {
  Shape block = shape;
  block.bytes = shape.bytes / shape.ranks;
  return scatterv_linear_algorithm.cost(block, machine);
}
double binomial_cost(const Shape& shape, const Machine& machine) {
  return reduce_binomial_algorithm.cost(shape, machine) + scatter_cost(shape, machine);
}
double shared_cost(const Shape& shape, const Machine& machine) {
  return reduce_shared_algorithm.cost(shape, machine) + scatter_cost(shape, machine);
}
double late_cost(const Shape& shape, const Machine& machine) {
  return clairvoyant_cost(shape, machine) + scatter_cost(shape, machine);
}
double reduce_scatterv_cost(const Shape& shape, const Machine& machine) {
  return reduce_linear_algorithm.cost(shape, machine) + scatter_cost(shape, machine);
}

constexpr const char* kBinomialCost = "reduce binomial + scatterv linear";
constexpr const char* kReduceScattervCost = "reduce linear + scatterv linear";

constexpr Algorithm shared_scatterv_for(Operation operation) {
  return {operation,
          "shared_scatterv",
          kSharedBuffer | kDense,
          Order::kRanks,
          &reduce_scatter_shared_scatterv,
          &shared_cost,
          "reduce shared + scatterv linear",
          [](const Shape& shape) { return reduce_shared_algorithm.fits(shape); }};
}

constexpr Algorithm clairvoyant_for(Operation operation) {
  return {operation,
          "clairvoyant",
          kCommutative | kPredicted | kByArrival,
          Order::kAny,
          &reduce_scatter_clairvoyant,
          &late_cost,
          "reduce clairvoyant + scatterv linear",
          [](const Shape& shape) { return shape.bytes <= std::numeric_limits<std::int32_t>::max(); }};
}

}  // namespace

const Algorithm reduce_scatter_clairvoyant_algorithm = clairvoyant_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_clairvoyant_algorithm = clairvoyant_for(Operation::kReduceScatterBlock);
const Algorithm reduce_scatter_shared_scatterv_algorithm = shared_scatterv_for(Operation::kReduceScatter);
const Algorithm reduce_scatter_block_shared_scatterv_algorithm = shared_scatterv_for(Operation::kReduceScatterBlock);
const Algorithm reduce_scatter_reduce_scatterv_algorithm = {
    Operation::kReduceScatter,       "reduce_scatterv", kNothing,      Order::kAny,
    &reduce_scatter_reduce_scatterv, &binomial_cost,    kBinomialCost,
};
const Algorithm reduce_scatter_block_reduce_scatterv_algorithm = {
    Operation::kReduceScatterBlock,  "reduce_scatterv", kNothing,      Order::kAny,
    &reduce_scatter_reduce_scatterv, &binomial_cost,    kBinomialCost,
};
const Algorithm reduce_scatter_ordered_algorithm = {
    Operation::kReduceScatter, "ordered",           kNothing, Order::kRanks, &reduce_scatter_ordered,
    &reduce_scatterv_cost,     kReduceScattervCost,
};
const Algorithm reduce_scatter_block_ordered_algorithm = {
    Operation::kReduceScatterBlock, "ordered",           kNothing, Order::kRanks, &reduce_scatter_ordered,
    &reduce_scatterv_cost,          kReduceScattervCost,
};

}  // namespace starling::collective
