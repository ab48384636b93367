// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barrier between two groups: nobody leaves before all of the other group have come.
// "leaders": each group tells its first rank, the two tell each other, each tells its group. "across": everybody tells
// everybody of the other group. Cost: (2 * log2 p + 1) * alpha; p / 2 * alpha. Source: MPI-5.0, 6.3.
#include "collective/choose/list.hpp"
#include "collective/inter/local_call.hpp"

namespace starling::collective {

Task barrier_between_leaders(Call& call, const Arguments& a) {
  Arguments nothing = a;
  nothing.send_count = 0;
  nothing.send_type = &byte_type();
  co_await local_gather(call, nothing, nullptr, 0);
  if (call.rank() == 0) {
    Batch batch(call);
    batch.add(call.receive_bytes(nullptr, 0, 0));
    batch.add(call.send_bytes(nullptr, 0, 0));
    co_await batch;
  }
  co_await local_bcast(call, nullptr, 0, byte_type());
}

Task barrier_across(Call& call, const Arguments& a) {
  Batch batch(call);
  for (std::int32_t rank = 0; rank < a.comm->addressed_size(); ++rank) {
    batch.add(call.receive_bytes(nullptr, 0, rank));
    batch.add(call.send_bytes(nullptr, 0, rank));
  }
  co_await batch;
}

const Algorithm barrier_between_leaders_algorithm = {
    Operation::kBarrier, "leaders", kInter, Order::kRanks, &barrier_between_leaders, &leaders_cost, kLeadersCost,
};
const Algorithm barrier_across_algorithm = {
    Operation::kBarrier, "across", kInter, Order::kRanks, &barrier_across, &across_cost, kAcrossCost,
};

}  // namespace starling::collective
