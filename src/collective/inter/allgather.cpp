// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather between two groups: each group gathers at its first rank, the two exchange what they have, each spreads
// what came. Either direction may be empty. Cost: (2 * log2 p + 1) * (alpha + m * beta). Source: MPI-5.0, 6.7.
#include "collective/choose/list.hpp"
#include "collective/inter/local_call.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

Task allgather_between_leaders(Call& call, const Arguments& a) {
  const std::int64_t block = a.send_count * a.send_type->size();
  const std::int64_t incoming = a.receive_count * a.comm->addressed_size();
  const bool leads = call.rank() == 0;
  PooledMemory blocks(call, leads ? block * call.size() : 0);
  if (!blocks.data()) co_return;
  co_await local_gather(call, a, blocks.data(), block);
  if (leads) {
    Batch batch(call);
    batch.add(call.receive(a.receive_buffer, incoming, *a.receive_type, 0));
    batch.add(call.send_bytes(blocks.data(), block * call.size(), 0));
    co_await batch;
  }
  co_await local_bcast(call, a.receive_buffer, incoming, *a.receive_type);
}

const Algorithm allgather_between_leaders_algorithm = {
    Operation::kAllgather, "leaders", kInter, Order::kRanks, &allgather_between_leaders, &leaders_cost, kLeadersCost,
};

}  // namespace starling::collective
