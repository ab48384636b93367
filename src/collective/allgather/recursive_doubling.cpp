// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allgather by recursive doubling: partners exchange all that they have.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.1.
// Limits: a power of two of ranks. Cost: log2 p * alpha + (p - 1) * b * beta + own.
#include <algorithm>

#include "collective/allgather/blocks.hpp"
#include "collective/choose/list.hpp"

namespace starling::collective {

Task allgather_recursive_doubling(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t block = a.receive_count;
  if (call.size() == 1) place_own_block(call, a);
  for (std::int32_t mask = 1; mask < call.size(); mask *= 2) {
    const std::int32_t partner = call.rank() ^ mask;
    const std::int32_t mine = call.rank() & ~(mask - 1);
    const std::int32_t theirs = partner & ~(mask - 1);
    Batch batch(call);
    batch.add(call.receive(element(a.receive_buffer, theirs * block, type), mask * block, type, partner));
    if (mask == 1) {
      batch.add(send_own_block(call, a, partner));
      place_own_block(call, a);
    } else {
      batch.add(call.send(element(a.receive_buffer, mine * block, type), mask * block, type, partner));
    }
    co_await batch;
  }
}

const Algorithm allgather_recursive_doubling_algorithm = {
    Operation::kAllgather,
    "recursive_doubling",
    kPowerOfTwo,
    Order::kRanks,
    &allgather_recursive_doubling,
    [](const Shape& shape, const Machine& machine) {
      const double steps = std::max(1, log2_ceil(shape.ranks));
      return machine.exchanges(steps, static_cast<double>(shape.bytes) * (shape.ranks - 1) / steps, shape.ranks) +
             own_block_ns(shape, machine, static_cast<double>(shape.bytes)) * machine.share(shape.ranks);
    },
    "log2(p) * alpha + (p - 1) * b * beta + own",
};

}  // namespace starling::collective
