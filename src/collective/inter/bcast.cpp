// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast from a rank of one group to all of the other: over the other group's first rank ("leaders"), or straight to
// each ("across"). Cost: (2 * log2 p + 1) * (alpha + m * beta); p / 2 * (alpha + m * beta). Source: MPI-5.0, 6.4.
#include "collective/choose/list.hpp"
#include "collective/inter/local_call.hpp"

namespace starling::collective {

Task bcast_between_leaders(Call& call, const Arguments& a) {
  if (a.root == kRootElsewhere) co_return;
  if (a.root == kRootHere) {
    co_await call.send(a.receive_buffer, a.receive_count, *a.receive_type, 0);
    co_return;
  }
  if (call.rank() == 0) co_await call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root);
  co_await local_bcast(call, a.receive_buffer, a.receive_count, *a.receive_type);
}

Task bcast_across(Call& call, const Arguments& a) {
  if (a.root == kRootElsewhere) co_return;
  Batch batch(call);
  if (a.root != kRootHere) {
    batch.add(call.receive(a.receive_buffer, a.receive_count, *a.receive_type, a.root));
  } else {
    for (std::int32_t to = 0; to < a.comm->addressed_size(); ++to) {
      batch.add(call.send(a.receive_buffer, a.receive_count, *a.receive_type, to));
    }
  }
  co_await batch;
}

const Algorithm bcast_between_leaders_algorithm = {
    Operation::kBcast, "leaders", kInter, Order::kRanks, &bcast_between_leaders, &leaders_cost, kLeadersCost,
};
const Algorithm bcast_across_algorithm = {
    Operation::kBcast, "across", kInter, Order::kRanks, &bcast_across, &across_cost, kAcrossCost,
};

}  // namespace starling::collective
