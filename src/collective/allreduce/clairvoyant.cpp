// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around late ranks: a scheduled reduce (reduce/clairvoyant.cpp) to the rank that is expected first, then a
// broadcast through shared memory. Limits and source: as the reduce. Cost: both.
#include <limits>

#include "arrival/drive/reduce_plan.hpp"
#include "collective/arguments/prediction.hpp"
#include "collective/bcast/shared.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/scheduled_reduce.hpp"

namespace starling::collective {

Task allreduce_clairvoyant(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Arguments part = a;
  part.root = arrival::earliest(a.prediction->arrivals);
  co_await reduce_by_schedule(call, a, part.root, a.receive_buffer);
  co_await bcast_in_buffer(call, part);
}

const Algorithm allreduce_clairvoyant_algorithm = {
    Operation::kAllreduce,
    "clairvoyant",
    kSharedBuffer | kCommutative | kPredicted | kByArrival,
    Order::kAny,
    &allreduce_clairvoyant,
    [](const Shape& shape, const Machine& machine) {
      return clairvoyant_cost(shape, machine) + bcast_shared_algorithm.cost(shape, machine);
    },
    "reduce clairvoyant + bcast shared",
    [](const Shape& shape) { return shape.bytes <= std::numeric_limits<std::int32_t>::max(); },
};

}  // namespace starling::collective
