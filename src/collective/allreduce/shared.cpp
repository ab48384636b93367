// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in shared memory with one meeting: every rank leaves its contribution; with a core for each rank everybody
// folds all of them itself, otherwise the last to come does it for all. Rank order, so the result is the same
// everywhere. Limits: one node, elements without gaps; one segment. Cost: a meeting + m * (2 * copy + p * gamma).
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp).
#include <cstring>

#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

Task allreduce_shared(Call& call, const Arguments& a) {
  Turn turn(call);
  co_await turn.enter();
  SharedBuffer& shared = turn.buffer();
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const std::int64_t bytes = count * type.size();
  const std::uint64_t k = shared.next();
  co_await Writable(call, shared, k, bytes);
  put(shared.data(call.rank(), k, bytes), input(a), count, type);
  shared.post(k, bytes);
  if (shared.arrive(k)) {
    if (agree(call, shared, k, bytes))
      call.note(fold(*a.op, {shared, k, bytes}, 0, count, type, shared.result(k, bytes)));
    shared.result_flag(k).bytes = shared.flag(0, k).bytes;
    shared.release(k);
  }
  co_await call.until([&] { return shared.met(k); });
  if (!shared.oversubscribed()) {
    if (agree(call, shared, k, bytes)) call.note(fold(*a.op, {shared, k, bytes}, 0, count, type, a.receive_buffer));
  } else if (shared.result_flag(k).bytes == bytes) {
    take(shared.result(k, bytes), a.receive_buffer, count, type);
  } else {
    agree(call, shared, k, bytes);
  }
  shared.finish(k);
}

const Algorithm allreduce_shared_algorithm = {
    Operation::kAllreduce,
    "shared",
    kSharedBuffer | kDense,
    Order::kRanks,
    &allreduce_shared,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      return meeting_ns(shape, machine) + segment_ns(shape, machine, shape.bytes) +
             bytes * (2 * machine.copy_byte_ns * machine.share(shape.ranks) + shape.ranks * machine.fold_byte_ns);
    },
    "meeting + m * (2 * copy + p * gamma)",
    [](const Shape& shape) { return has_room(shape, shape.bytes); },
};

}  // namespace starling::collective
