// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barrier in shared memory: one meeting. Limits: one node. Cost: one cache line, or one turn of all ranks that share
// cores. Source: Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors",
// 1991.
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

Task barrier_shared(Call& call, const Arguments& /*arguments*/) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, 0);
  shared.post(k, 0);
  if (shared.arrive(k)) shared.release(k);
  co_await call.until([&] { return shared.met(k); });
  shared.finish(k);
}

const Algorithm barrier_shared_algorithm = {
    Operation::kBarrier, "shared",
    kSharedBuffer,       Order::kRanks,
    &barrier_shared,     [](const Shape& shape, const Machine& machine) { return meeting_ns(shape, machine); },
    "one meeting",
};

}  // namespace starling::collective
