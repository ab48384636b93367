// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barrier by dissemination: every rank tells those ahead of it that are 1, 2, ... r - 1 distances away, and hears from
// as many behind; the distance is r times as long in each step. The radix r is the one that costs least, 2 where a
// message takes no longer to arrive than the next one to be sent. Limits: none.
// Source: Hensgen, Finkel, Manber, "Two Algorithms for Barrier Synchronization", 1988; Hoefler, Mehlan, Mietke, Rehm,
// "Fast Barrier Synchronization for InfiniBand", 2006. Cost: ceil(log_r p) * (alpha + (r - 2) * next).
#include "collective/choose/list.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {

Task barrier_dissemination(Call& call, const Arguments& /*arguments*/) {
  const std::int64_t ranks = call.size();
  const Dissemination steps = Dissemination::of(call);
  for (std::int64_t distance = 1; distance < ranks; distance *= steps.radix) {
    Batch batch(call);
    const std::int64_t farthest = steps.messages(distance) * distance;
    for (std::int64_t away = distance; away <= farthest; away += distance) {
      batch.add(call.receive_bytes(nullptr, 0, static_cast<std::int32_t>((call.rank() - away + ranks) % ranks)));
      batch.add(call.send_bytes(nullptr, 0, static_cast<std::int32_t>((call.rank() + away) % ranks)));
    }
    co_await batch;
  }
}

const Algorithm barrier_dissemination_algorithm = {
    Operation::kBarrier,
    "dissemination",
    kNothing,
    Order::kRanks,
    &barrier_dissemination,
    [](const Shape& shape, const Machine& machine) { return Dissemination::of(shape, machine).cost_ns(0, machine); },
    "log_r(p) * (alpha + (r - 2) * next), radix r",
};

}  // namespace starling::collective
