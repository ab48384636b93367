// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions between two groups: each rank gets the combined contributions of the other group. Each group that
// contributes reduces to its first rank, over a binomial tree ("leaders") or one contribution after the other
// ("ordered", whose result depends on nothing else). Cost: (2 * log2 p + 1) * (alpha + m * beta), ordered: linear in p.
// Source: MPI-5.0, 6.9 and 6.10.
#include "collective/choose/list.hpp"
#include "collective/inter/local_call.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/result_scatter.hpp"

namespace starling::collective {
namespace {

Task reduce_to_other_group(Call& call, const Arguments& a, Order order) {
  if (a.root == kRootElsewhere) co_return;
  if (a.root == kRootHere) {
    co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, 0);
    co_return;
  }
  const bool leads = call.rank() == 0;
  Scratch result(call, leads ? a.receive_count : 0, *a.receive_type);
  if (!result) co_return;
  co_await local_reduce(call, a, a.send_buffer, a.receive_count, result.data(), order);
  if (leads) co_await call.send(result.data(), a.receive_count, *a.receive_type, a.root);
}

/// The local group's combined vector for the other's, at the leaders.
Task exchange_results(Call& call, const Arguments& a, std::int64_t count, void* theirs, Order order) {
  const bool leads = call.rank() == 0;
  Scratch mine(call, leads ? count : 0, *a.receive_type);
  if (!mine) co_return;
  co_await local_reduce(call, a, a.send_buffer, count, mine.data(), order);
  if (!leads) co_return;
  Batch batch(call);
  batch.add(call.receive(theirs, count, *a.receive_type, 0));
  batch.add(call.send(mine.data(), count, *a.receive_type, 0));
  co_await batch;
}

Task allreduce_other_group(Call& call, const Arguments& a, Order order) {
  co_await exchange_results(call, a, a.receive_count, a.receive_buffer, order);
  co_await local_bcast(call, a.receive_buffer, a.receive_count, *a.receive_type);
}

Task reduce_scatter_other_group(Call& call, const Arguments& a, Order order) {
  const std::int64_t total = result_blocks(a).total(call.size());
  Scratch whole(call, call.rank() == 0 ? total : 0, *a.receive_type);
  if (!whole) co_return;
  co_await exchange_results(call, a, total, whole.data(), order);
  const ResultScatter part(call, a, whole.data());
  LocalCall local(call, part.arguments());
  co_await scatter_linear(local.call(), local.arguments());
}

double ordered_cost(const Shape& shape, const Machine& machine) {
  return across_cost(shape, machine) + leaders_cost(shape, machine);
}

constexpr const char* kOrderedCost = "p / 2 * (alpha + m * beta) + leaders";

}  // namespace

Task reduce_between_leaders(Call& call, const Arguments& a) { co_await reduce_to_other_group(call, a, Order::kAny); }
Task reduce_between_ordered(Call& call, const Arguments& a) { co_await reduce_to_other_group(call, a, Order::kRanks); }
Task allreduce_between_leaders(Call& call, const Arguments& a) { co_await allreduce_other_group(call, a, Order::kAny); }
Task allreduce_between_ordered(Call& call, const Arguments& a) {
  co_await allreduce_other_group(call, a, Order::kRanks);
}
Task reduce_scatter_between_leaders(Call& call, const Arguments& a) {
  co_await reduce_scatter_other_group(call, a, Order::kAny);
}
Task reduce_scatter_between_ordered(Call& call, const Arguments& a) {
  co_await reduce_scatter_other_group(call, a, Order::kRanks);
}

#define STARLING_BETWEEN(id, operation, body)                                                                    \
  const Algorithm id##_between_leaders_algorithm = {                                                             \
      operation, "leaders", kInter, Order::kAny, &body##_between_leaders, &leaders_cost, kLeadersCost,           \
  };                                                                                                             \
  const Algorithm id##_between_ordered_algorithm = {                                                             \
      operation, "ordered_leaders", kInter, Order::kRanks, &body##_between_ordered, &ordered_cost, kOrderedCost, \
  }
STARLING_BETWEEN(reduce, Operation::kReduce, reduce);
STARLING_BETWEEN(allreduce, Operation::kAllreduce, allreduce);
STARLING_BETWEEN(reduce_scatter, Operation::kReduceScatter, reduce_scatter);
STARLING_BETWEEN(reduce_scatter_block, Operation::kReduceScatterBlock, reduce_scatter);
#undef STARLING_BETWEEN

}  // namespace starling::collective
