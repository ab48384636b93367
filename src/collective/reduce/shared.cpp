// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction in shared memory: every rank leaves its contribution and goes on, the root folds them in rank order.
// Limits: one node, elements without gaps. Cost: one cache line and one copy; the root reads p * m bytes.
// Source: Parsons, Pai 2015 (see area.hpp).
#include <algorithm>

#include "collective/list.hpp"
#include "collective/reduce/input.hpp"
#include "collective/shared.hpp"

namespace starling::collective {
Task reduce_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const datatype::Datatype& type = *a.receive_type;
  const bool root = call.rank() == a.root;
  const std::int64_t total = a.receive_count * type.size();
  const bool rides = total <= static_cast<std::int64_t>(Line::kInline);
  const std::int64_t most = rides ? a.receive_count : area.slot_bytes() / type.size();

  std::int64_t first = 0;
  do {
    const std::int64_t count = std::min(most, a.receive_count - first);
    const std::uint64_t k = area.next();
    co_await Writable(call, area, k, total);
    put(area.data(call.rank(), k, total), element(input(a), first, type), count, type);
    area.post(k, total);
    const bool last = area.crowded() ? area.count_in(k) : true;
    if (root) {
      std::int32_t seen = 0;
      co_await call.until([&] {
        while (seen < call.size() && area.posted(seen, k)) ++seen;
        return seen == call.size();
      });
      for (std::int32_t rank = 0; rank < call.size() && first == 0; ++rank) {
        compare_bytes(call, rank, area.line(rank, k).bytes, total);
      }
      fold(call, area, k, total, 0, count, type, element(a.receive_buffer, first, type));
    } else if (last) {
      area.ring(a.root);
    }
    area.finish(k);
    first += count;
  } while (first < a.receive_count);
}

const Algorithm reduce_shared_algorithm = {
    Operation::kReduce,
    "shared",
    kArea | kDense,
    Order::kRanks,
    &reduce_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double pieces = std::max(1.0, bytes / static_cast<double>(std::max<std::int64_t>(1, shape.slot_bytes)));
      return std::max(1.0, pieces / Area::kSlotDepth) * meeting_ns(shape, machine) +
             bytes * (machine.copy_byte_ns * machine.share(shape.ranks) + shape.ranks * machine.reduce_byte_ns);
    },
    "line + m * (copy + p * gamma)",
    [](const Shape& shape) { return shape.slots || shape.bytes <= static_cast<std::int64_t>(Line::kInline); },
};

}  // namespace starling::collective
