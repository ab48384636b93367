// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in shared memory with one meeting: every rank leaves its contribution; with a core for each rank everybody
// folds all of them itself, otherwise the last to come does it for all. Rank order, so the result is the same
// everywhere. Limits: one node, elements without gaps; one slot. Cost: a meeting + m * (2 * copy + p * gamma). Source:
// Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <cstring>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task allreduce_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  Area& area = turn.area();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const std::int64_t bytes = count * type.size();
  const std::uint64_t k = area.next();
  co_await Writable(call, area, k, bytes);
  put(area.data(call.rank(), k, bytes), input(a), count, type);
  area.post(k, bytes);
  if (area.arrive(k)) {
    if (agree(call, area, k, bytes)) fold(call, {area, k, bytes}, 0, count, type, area.result(k, bytes));
    area.result_line(k).bytes = area.line(0, k).bytes;
    area.release(k);
  }
  co_await call.until([&] { return area.met(k); });
  if (!area.oversubscribed()) {
    if (agree(call, area, k, bytes)) fold(call, {area, k, bytes}, 0, count, type, a.receive_buffer);
  } else if (area.result_line(k).bytes == bytes) {
    take(area.result(k, bytes), a.receive_buffer, count, type);
  } else {
    agree(call, area, k, bytes);
  }
  area.finish(k);
}

const Algorithm allreduce_shared_algorithm = {
    Operation::kAllreduce,
    "shared",
    kArea | kDense,
    Order::kRanks,
    &allreduce_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      return meeting_ns(shape, machine) + slot_ns(shape, machine, shape.bytes) +
             bytes * (2 * machine.copy_byte_ns * machine.share(shape.ranks) + shape.ranks * machine.fold_byte_ns);
    },
    "meeting + m * (2 * copy + p * gamma)",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};

}  // namespace starling::collective
