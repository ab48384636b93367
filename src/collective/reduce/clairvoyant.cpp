// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction around late ranks: along the schedule that all ranks make from the expected arrivals
// (arrival/generate.hpp), so that all is combined but the last rank's vector when that comes. Limits: commutative
// operators; only where it is known when ranks come. Cost: see parts/scheduled_reduce.hpp. Source: Proficz, Ocetkiewicz
// 2021 (see /docs/design/arrival.md).
#include <limits>

#include "collective/choose/list.hpp"
#include "collective/parts/scheduled_reduce.hpp"

namespace starling::collective {

Task reduce_clairvoyant(Call& call, const Arguments& a) {
  co_await reduce_by_schedule(call, a, {a.root, a.receive_buffer});
}

const Algorithm reduce_clairvoyant_algorithm = {
    Operation::kReduce,
    "clairvoyant",
    kCommutative | kPredicted | kByArrival,
    Order::kAny,
    &reduce_clairvoyant,
    &clairvoyant_cost,
    kClairvoyantCost,
    [](const Shape& shape) { return shape.bytes <= std::numeric_limits<std::int32_t>::max(); },
};

}  // namespace starling::collective
