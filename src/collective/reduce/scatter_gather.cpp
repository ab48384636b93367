// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction as a reduce_scatter, over messages or in shared memory, and the way of the parts to the root: straight or
// up a binomial tree. Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004 (the division
// of the work). Limits: long vectors, elements without gaps; over messages commutative operators. Cost: the sum.
#include <vector>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/spread.hpp"
#include "collective/reduce_scatter/shared.hpp"

namespace starling::collective {
namespace {

using Body = Task (*)(Call&, const Arguments&);
using Collect = Task (*)(Call&, Spread, std::int32_t root);

Task scatter_then_collect(Call& call, const Arguments& a, Body reduce_scatter, Collect collect) {
  const datatype::Datatype& type = *a.receive_type;
  const bool root = call.rank() == a.root;
  const EqualParts parts{a.receive_count, call.size()};
  std::vector<std::int64_t> counts;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) counts.push_back(parts.length(rank));
  // In place the root's contribution must stay whole until the reduce_scatter is done with it.
  const bool apart = !root || a.in_place;
  Scratch whole(call, apart ? a.receive_count : 0, type);
  if (!whole) co_return;
  auto* data = static_cast<std::byte*>(apart ? whole.data() : a.receive_buffer);
  const Spread spread{data, parts, type.size(), 0};

  Arguments part = a;
  part.operation = Operation::kReduceScatter;
  part.send_buffer = input(a);
  part.in_place = false;
  part.receive_buffer = spread.at(call.rank());
  part.receive_counts = counts.data();
  co_await reduce_scatter(call, part);
  co_await collect(call, spread, a.root);
  if (root && apart) call.copy(data, a.receive_buffer, a.receive_count, type);
}

// The same within the caller's turn.
Task scatter_in_turn(Call& call, const Arguments& a) {
  co_await reduce_scatter_in_buffer(call, a, *call.node_memory().buffer());
}
Task collect_in_turn(Call& call, Spread spread, std::int32_t root) {
  co_await collect_in_buffer(call, spread, *call.node_memory().buffer(), root);
}

}  // namespace

Task reduce_pairwise_gather(Call& call, const Arguments& a) {
  co_await scatter_then_collect(call, a, &reduce_scatter_pairwise, &collect_straight);
}
Task reduce_pairwise_tree(Call& call, const Arguments& a) {
  co_await scatter_then_collect(call, a, &reduce_scatter_pairwise, &collect_up_tree);
}
Task reduce_halving_gather(Call& call, const Arguments& a) {
  co_await scatter_then_collect(call, a, &reduce_scatter_halving, &collect_straight);
}
Task reduce_shared_gather(Call& call, const Arguments& a) {
  co_await scatter_then_collect(call, a, &reduce_scatter_shared, &collect_straight);
}
Task reduce_shared_tree(Call& call, const Arguments& a) {
  co_await scatter_then_collect(call, a, &reduce_scatter_shared, &collect_up_tree);
}
Task reduce_shared_collect(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  co_await scatter_then_collect(call, a, &scatter_in_turn, &collect_in_turn);
}

const Algorithm reduce_pairwise_gather_algorithm = {
    Operation::kReduce,
    "pairwise_gather",
    kCommutative | kDense,
    Order::kAny,
    &reduce_pairwise_gather,
    &composed_cost<reduce_scatter_pairwise_algorithm, gather_linear_algorithm>,
    "reduce_scatter pairwise + gather linear",
};
const Algorithm reduce_pairwise_tree_algorithm = {
    Operation::kReduce,
    "pairwise_tree",
    kCommutative | kDense,
    Order::kAny,
    &reduce_pairwise_tree,
    &composed_cost<reduce_scatter_pairwise_algorithm, gather_binomial_algorithm>,
    "reduce_scatter pairwise + gather binomial",
};
const Algorithm reduce_halving_gather_algorithm = {
    Operation::kReduce,
    "halving_gather",
    kCommutative | kDense,
    Order::kAny,
    &reduce_halving_gather,
    &composed_cost<reduce_scatter_halving_algorithm, gather_linear_algorithm>,
    "reduce_scatter halving + gather linear",
};
const Algorithm reduce_shared_gather_algorithm = {
    Operation::kReduce,
    "shared_gather",
    kSharedBuffer | kDense,
    Order::kRanks,
    &reduce_shared_gather,
    &composed_cost<reduce_scatter_shared_algorithm, gather_linear_algorithm>,
    "reduce_scatter shared + gather linear",
    &composed_fits<reduce_scatter_shared_algorithm>,
};
const Algorithm reduce_shared_tree_algorithm = {
    Operation::kReduce,
    "shared_tree",
    kSharedBuffer | kDense,
    Order::kRanks,
    &reduce_shared_tree,
    &composed_cost<reduce_scatter_shared_algorithm, gather_binomial_algorithm>,
    "reduce_scatter shared + gather binomial",
    &composed_fits<reduce_scatter_shared_algorithm>,
};
const Algorithm reduce_shared_collect_algorithm = {
    Operation::kReduce,
    "shared_collect",
    kSharedBuffer | kDense,
    Order::kRanks,
    &reduce_shared_collect,
    &composed_cost<reduce_scatter_shared_algorithm, gather_shared_algorithm>,
    "reduce_scatter shared + gather shared",
    &composed_fits_in_buffer<reduce_scatter_shared_algorithm>,
};

}  // namespace starling::collective
