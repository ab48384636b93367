// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a binomial tree; each rank gets its own block and those of the ranks below it, packed.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.3.
// Limits: none. Cost: log2 p * alpha + (p - 1) * b * beta at the root.
#include <algorithm>

#include "collective/buffers.hpp"
#include "collective/list.hpp"

namespace starling::collective {
namespace {

void pack_blocks(Call& call, const Arguments& a, std::byte* blocks, std::int64_t block_bytes) {
  const datatype::Datatype& bytes = datatype::predefined(datatype::Basic::kByte);
  for (std::int32_t relative = 1; relative < call.size(); ++relative) {
    const std::int32_t to = (relative + a.root) % call.size();
    call.copy(element(a.send_buffer, to * a.send_count, *a.send_type), a.send_count, *a.send_type,
              blocks + relative * block_bytes, block_bytes, bytes);
  }
}

}  // namespace

Task scatter_binomial(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const auto actual = [&](std::int32_t relative) { return (relative + a.root) % ranks; };
  const bool root = me == 0;
  const std::int64_t block = root ? a.send_count * a.send_type->size() : a.receive_count * a.receive_type->size();

  std::int32_t mask = 1;
  while (mask < ranks && (me & mask) == 0) mask <<= 1;
  const std::int32_t width = std::min(mask, ranks - me);  // ranks in the subtree of this one
  Memory blocks(call, width * block);
  if (!blocks.data()) co_return;
  if (root) {
    pack_blocks(call, a, blocks.data(), block);
  } else {
    co_await call.receive_bytes(blocks.data(), width * block, actual(me - mask));
  }
  Batch children(call);
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (me + mask >= ranks) continue;
    const std::int64_t below = std::min(mask, ranks - me - mask);
    children.add(call.send_bytes(blocks.data() + mask * block, below * block, actual(me + mask)));
  }
  if (!root) {
    call.copy(blocks.data(), block, datatype::predefined(datatype::Basic::kByte), a.receive_buffer, a.receive_count,
              *a.receive_type);
  } else if (!a.in_place) {
    call.copy(element(a.send_buffer, a.root * a.send_count, *a.send_type), a.send_count, *a.send_type, a.receive_buffer,
              a.receive_count, *a.receive_type);
  }
  co_await children;
}

const Algorithm scatter_binomial_algorithm = {
    Operation::kScatter,
    "binomial",
    kNothing,
    Order::kRanks,
    &scatter_binomial,
    [](const Shape& shape, const Machine& machine) {
      const double moved = static_cast<double>(shape.bytes) * (shape.ranks - 1);
      const double steps = std::max(1, log2_ceil(shape.ranks));
      return machine.messages(steps, moved / steps, shape.ranks) + 2 * moved * machine.copy_byte_ns;
    },
    "log2(p) * alpha + (p - 1) * b * (beta + 2 * copy)",
};

}  // namespace starling::collective
