// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barrier by dissemination: in step k every rank tells the one 2^k ahead and hears from the one 2^k behind.
// Source: Hensgen, Finkel, Manber, "Two Algorithms for Barrier Synchronization", 1988. Limits: none.
// Cost: ceil(log2 p) * alpha.
#include "collective/choose/list.hpp"

namespace starling::collective {

Task barrier_dissemination(Call& call, const Arguments& /*arguments*/) {
  const std::int64_t ranks = call.size();
  for (std::int64_t step = 1; step < ranks; step *= 2) {
    Batch batch(call);
    batch.add(call.receive_bytes(nullptr, 0, static_cast<std::int32_t>((call.rank() - step + ranks) % ranks)));
    batch.add(call.send_bytes(nullptr, 0, static_cast<std::int32_t>((call.rank() + step) % ranks)));
    co_await batch;
  }
}

const Algorithm barrier_dissemination_algorithm = {
    Operation::kBarrier,
    "dissemination",
    kNothing,
    Order::kRanks,
    &barrier_dissemination,
    [](const Shape& shape, const Machine& machine) { return machine.messages(log2_ceil(shape.ranks), 0, shape.ranks); },
    "log2(p) * alpha",
};

}  // namespace starling::collective
