// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by recursive multiplying: in each step groups of ranks exchange what they have, everybody with everybody,
// and each combines it in rank order, so that all have the same bits. With groups of two it is recursive doubling;
// where a message takes longer to arrive than the next one to be sent, few steps with larger groups are quicker. Ranks
// beyond the product of the group sizes hand their contribution to a neighbour and get the result back. Source:
// Wilkins, Guo, Thakur, Dinda, Hardavellas, "Generalized Collective Algorithms for the Exascale Era", CLUSTER 2023.
// Limits: ranks on several nodes, short vectors. Cost: the sum over the steps of alpha + (r - 2) * next + (r - 1) * m *
// (beta + gamma).
#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"
#include "collective/parts/fan.hpp"
#include "collective/parts/halving.hpp"

namespace starling::collective {

Task allreduce_recursive_multiplying(Call& call, const Arguments& a) {
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const Multiplying steps = Multiplying::of(call.size(), count * type.size(), machine_of(call));
  const Folding folding{steps.participants(), call.size() - steps.participants()};
  const std::int32_t me = folding.participant(call.rank());
  const bool in_pair = call.rank() < 2 * folding.extra;
  if (me == Folding::kNone) {
    co_await call.send(input(a), count, type, call.rank() + 1);
    co_await call.receive(a.receive_buffer, count, type, call.rank() + 1);
    co_return;
  }
  // A place for the vector of each member of a group; what this rank has is in one of them.
  Scratch places(call, count * steps.largest(), type);
  if (!places) co_return;
  const auto place = [&](std::int32_t index) { return element(places.data(), index * count, type); };
  std::int32_t mine = 0;
  call.copy(input(a), place(mine), count, type);
  if (in_pair) {
    co_await call.receive(place(1), count, type, call.rank() - 1);
    call.reduce(place(1), place(mine), count, type);
  }
  std::int32_t distance = 1;
  for (const std::int32_t size : steps.group_sizes()) {
    const std::int32_t own = me / distance % size;
    const std::int32_t first = me - own * distance;
    // Member i has place i, and the one whose place is taken by what this rank has gets this rank's.
    const auto place_of = [&](std::int32_t member) {
      if (member == own) return mine;
      return member == mine ? own : member;
    };
    Batch batch(call);
    for (std::int32_t i = 0; i < size; ++i) {
      if (i == own) continue;
      const std::int32_t partner = folding.rank(first + i * distance);
      batch.add(call.receive(place(place_of(i)), count, type, partner));
      batch.add(call.send(place(mine), count, type, partner));
    }
    co_await batch;
    const std::int32_t result = place_of(size - 1);
    for (std::int32_t i = size - 2; i >= 0; --i) call.reduce(place(place_of(i)), place(result), count, type);
    mine = result;
    distance *= size;
  }
  if (in_pair) co_await call.send(place(mine), count, type, call.rank() - 1);
  call.copy(place(mine), a.receive_buffer, count, type);
}

const Algorithm allreduce_recursive_multiplying_algorithm = {
    Operation::kAllreduce,
    "recursive_multiplying",
    kBetweenNodes,
    Order::kAny,
    &allreduce_recursive_multiplying,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      return Multiplying::of(shape.ranks, shape.bytes, machine).cost_ns(shape.ranks, bytes, machine) +
             2 * own_block_ns(shape, machine, bytes);
    },
    "the sum over the steps of alpha + (r - 2) * next + (r - 1) * m * (beta + gamma), groups of r",
    // Two and four nodes go by doubling, with the fewest messages there can be.
    [](const Shape& shape) { return shape.ranks != 2 && shape.ranks != 4; },
};

}  // namespace starling::collective
