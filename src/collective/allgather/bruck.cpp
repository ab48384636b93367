// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv after Bruck: in step k every rank gets the blocks of the (r - 1) r^k ranks that follow those
// it has, from r - 1 of them. The radix r is the one that costs least, 2 where a message takes no longer to arrive than
// the next one to be sent. Source: Bruck et al., "Efficient Algorithms for All-to-All Communications in Multiport
// Message-Passing Systems", 1997. Limits: none; two copies of all data.
// Cost: ceil(log_r p) * (alpha + (r - 2) * next) + (p - 1) * b * (beta + 2 * copy).
#include <algorithm>
#include <vector>

#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {

Task allgather_bruck(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = call.rank();
  const datatype::Datatype& type = *a.receive_type;
  const datatype::Datatype& bytes = datatype::byte_type();
  const Blocks blocks = gathered_blocks(a);
  place_own_block(call, a);

  // Block i of the packed data belongs to rank me + i.
  const auto owner = [&](std::int64_t index) { return static_cast<std::int32_t>((me + index) % ranks); };
  std::vector<std::int64_t> starts(1, 0);
  for (std::int32_t i = 0; i < ranks; ++i) starts.push_back(starts.back() + blocks.count(owner(i)) * type.size());
  const auto start = [&](std::int64_t index) { return starts[static_cast<std::size_t>(index)]; };
  PooledMemory packed(call, starts.back());
  if (!packed.data()) co_return;
  call.copy(element(a.receive_buffer, blocks.displacement(me), type), blocks.count(me), type, packed.data(), start(1),
            bytes);

  const Dissemination steps = Dissemination::of(call);
  for (std::int64_t have = 1; have < ranks; have *= steps.radix) {
    Batch batch(call);
    const std::int64_t farthest = steps.messages(have) * have;
    for (std::int64_t away = have; away <= farthest; away += have) {
      const std::int64_t more = std::min<std::int64_t>(have, ranks - away);
      batch.add(call.receive_bytes(packed.data() + start(away), start(away + more) - start(away), owner(away)));
      batch.add(call.send_bytes(packed.data(), start(more), owner(ranks - away)));
    }
    co_await batch;
  }
  for (std::int32_t i = 1; i < ranks; ++i) {
    call.copy(packed.data() + start(i), start(i + 1) - start(i), bytes,
              element(a.receive_buffer, blocks.displacement(owner(i)), type), blocks.count(owner(i)), type);
  }
}

namespace {

double bruck_cost(const Shape& shape, const Machine& machine, double moved) {
  const double own = own_block_ns(shape, machine, moved / std::max(1, shape.ranks - 1));
  return Dissemination::of(shape, machine).cost_ns(moved, machine) +
         (2 * moved * machine.copy_byte_ns + own) * machine.share(shape.ranks);
}

constexpr const char* kBruckCost =
    "log_r(p) * (alpha + (r - 2) * next) + (p - 1) * b * (beta + 2 * copy) + own, radix r";

}  // namespace

const Algorithm allgather_bruck_algorithm = {
    Operation::kAllgather,
    "bruck",
    kNothing,
    Order::kRanks,
    &allgather_bruck,
    [](const Shape& shape, const Machine& machine) {
      return bruck_cost(shape, machine, static_cast<double>(shape.bytes) * (shape.ranks - 1));
    },
    kBruckCost,
};
const Algorithm allgatherv_bruck_algorithm = {
    Operation::kAllgatherv,
    "bruck",
    kNothing,
    Order::kRanks,
    &allgather_bruck,
    [](const Shape& shape, const Machine& machine) {
      return bruck_cost(shape, machine, static_cast<double>(shape.bytes));
    },
    kBruckCost,
};

}  // namespace starling::collective
