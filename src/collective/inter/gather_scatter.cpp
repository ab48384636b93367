// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter between two groups over the first rank of the group that has no root: one message across.
// Cost: (2 * log2 p + 1) * (alpha + m * beta). Source: MPI-5.0, 6.5 and 6.6.
#include "collective/choose/list.hpp"
#include "collective/inter/local_call.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

Task gather_between_leaders(Call& call, const Arguments& a) {
  if (a.root == kRootElsewhere) co_return;
  if (a.root == kRootHere) {
    co_await call.receive(a.receive_buffer, a.receive_count * a.comm->addressed_size(), *a.receive_type, 0);
    co_return;
  }
  const std::int64_t block = a.send_count * a.send_type->size();
  const bool leads = call.rank() == 0;
  PooledMemory blocks(call, leads ? block * call.size() : 0);
  if (!blocks.data()) co_return;
  co_await local_gather(call, a, blocks.data(), block);
  if (leads) co_await call.send_bytes(blocks.data(), block * call.size(), a.root);
}

Task scatter_between_leaders(Call& call, const Arguments& a) {
  if (a.root == kRootElsewhere) co_return;
  if (a.root == kRootHere) {
    co_await call.send(a.send_buffer, a.send_count * a.comm->addressed_size(), *a.send_type, 0);
    co_return;
  }
  const std::int64_t block = a.receive_count * a.receive_type->size();
  const bool leads = call.rank() == 0;
  PooledMemory blocks(call, leads ? block * call.size() : 0);
  if (!blocks.data()) co_return;
  if (leads) co_await call.receive_bytes(blocks.data(), block * call.size(), a.root);
  Arguments part = a;
  part.operation = Operation::kScatter;
  part.send_buffer = blocks.data();
  part.send_count = block;
  part.send_type = &datatype::byte_type();
  LocalCall local(call, part);
  co_await scatter_binomial(local.call(), local.arguments());
}

const Algorithm gather_between_leaders_algorithm = {
    Operation::kGather, "leaders", kInter, Order::kRanks, &gather_between_leaders, &leaders_cost, kLeadersCost,
};
const Algorithm scatter_between_leaders_algorithm = {
    Operation::kScatter, "leaders", kInter, Order::kRanks, &scatter_between_leaders, &leaders_cost, kLeadersCost,
};

}  // namespace starling::collective
