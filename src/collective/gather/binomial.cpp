// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather up a binomial tree; each rank passes on its own block and those of the ranks below it, packed.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.4.
// Limits: none. Cost: log2 p * alpha + (p - 1) * b * beta at the root.
#include <algorithm>

#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {
namespace {

void unpack_blocks(Call& call, const Arguments& a, const std::byte* blocks, std::int64_t block_bytes) {
  const datatype::Datatype& bytes = datatype::predefined(datatype::Basic::kByte);
  for (std::int32_t relative = 1; relative < call.size(); ++relative) {
    const std::int32_t from = (relative + a.root) % call.size();
    call.copy(blocks + relative * block_bytes, block_bytes, bytes,
              element(a.receive_buffer, from * a.receive_count, *a.receive_type), a.receive_count, *a.receive_type);
  }
}

}  // namespace

Task gather_binomial(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const auto actual = [&](std::int32_t relative) { return (relative + a.root) % ranks; };
  const bool root = me == 0;
  const std::int64_t block = root ? a.receive_count * a.receive_type->size() : a.send_count * a.send_type->size();

  std::int32_t width = 1;  // ranks in the subtree of this one
  while (width < ranks && (me & width) == 0) width <<= 1;
  width = std::min(width, ranks - me);
  Memory blocks(call, width * block);
  if (!blocks.data()) co_return;
  if (!root) {
    call.copy(a.send_buffer, a.send_count, *a.send_type, blocks.data(), block,
              datatype::predefined(datatype::Basic::kByte));
  } else if (!a.in_place) {
    call.copy(a.send_buffer, a.send_count, *a.send_type,
              element(a.receive_buffer, a.root * a.receive_count, *a.receive_type), a.receive_count, *a.receive_type);
  }
  Batch children(call);
  std::int32_t mask = 1;
  for (; mask < ranks && (me & mask) == 0; mask <<= 1) {
    if (me + mask >= ranks) continue;
    const std::int64_t below = std::min(mask, ranks - me - mask);
    children.add(call.receive_bytes(blocks.data() + mask * block, below * block, actual(me + mask)));
  }
  co_await children;
  if (root) {
    unpack_blocks(call, a, blocks.data(), block);
  } else {
    co_await call.send_bytes(blocks.data(), width * block, actual(me - mask));
  }
}

const Algorithm gather_binomial_algorithm = {
    Operation::kGather,
    "binomial",
    kNothing,
    Order::kRanks,
    &gather_binomial,
    [](const Shape& shape, const Machine& machine) {
      const double moved = static_cast<double>(shape.bytes) * (shape.ranks - 1);
      const double steps = std::max(1, log2_ceil(shape.ranks));
      return machine.messages(steps, moved / steps, shape.ranks) + 2 * moved * machine.copy_byte_ns;
    },
    "log2(p) * alpha + (p - 1) * b * (beta + 2 * copy)",
};

}  // namespace starling::collective
