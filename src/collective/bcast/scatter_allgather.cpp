// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast as a scatter of parts and an allgather of them, so that no rank moves more than about twice the message.
// The parts leave the root down a binomial tree or straight to each rank, and are gathered around a ring or by
// doubling. Source: van de Geijn, Barnett et al., "Interprocessor Collective Communication Library", 1994. Limits: pays
// with at least a few hundred bytes for each rank; doubling: a power of two of ranks. Cost: (log2 p or p - 1) * alpha,
// then (p - 1 or log2 p) * alpha, + 2 * (p - 1) / p * m * beta.
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/spread.hpp"

namespace starling::collective {
namespace {

Task run(Call& call, const Arguments& a, Phase scatter, Phase gather) {
  const auto access = call.rank() == a.root ? Packed::Access::kRead : Packed::Access::kWrite;
  Packed data(call, access, a.receive_buffer, a.receive_count, *a.receive_type);
  if (!data) co_return;
  const Spread spread{data.data(), EqualParts{data.bytes(), call.size()}, 1, a.root};
  co_await scatter(call, spread);
  co_await gather(call, spread);
  if (call.rank() != a.root) data.commit();
}

/// Within the caller's turn.
Task gather_in_turn(Call& call, Spread spread) {
  co_await gather_in_buffer(call, spread, *call.node_memory().buffer());
}

/// Between nodes the link of the root carries what it scatters and what it exchanges, so that half of the message,
/// which it sends in the last step, is late by its own time (measured with starling simulate, 4 to 64 nodes).
template <auto& kScatter, auto& kDoubling>
double doubled_cost(const Shape& shape, const Machine& machine) {
  const double cost = composed_cost<kScatter, kDoubling>(shape, machine);
  if (shape.distance != tuning::Distance::kNetwork) return cost;
  return cost + static_cast<double>(shape.bytes) / 2 * machine.link_byte_ns();
}

}  // namespace

Task bcast_scatter_allgather(Call& call, const Arguments& a) {
  co_await run(call, a, &scatter_down_tree, &gather_around_ring);
}
Task bcast_scatter_doubling(Call& call, const Arguments& a) {
  co_await run(call, a, &scatter_down_tree, &gather_by_doubling);
}
Task bcast_straight_allgather(Call& call, const Arguments& a) {
  co_await run(call, a, &scatter_straight, &gather_around_ring);
}
Task bcast_straight_doubling(Call& call, const Arguments& a) {
  co_await run(call, a, &scatter_straight, &gather_by_doubling);
}
Task bcast_straight_shared(Call& call, const Arguments& a) {
  Turn turn(call);  // taken first: calls use the shared buffer in the order in which they were made
  co_await turn.enter();
  co_await run(call, a, &scatter_straight, &gather_in_turn);
}

const Algorithm bcast_scatter_allgather_algorithm = {
    Operation::kBcast,
    "scatter_allgather",
    kNothing,
    Order::kRanks,
    &bcast_scatter_allgather,
    &composed_cost<scatter_binomial_algorithm, allgather_ring_algorithm>,
    "scatter binomial + allgather ring",
};
const Algorithm bcast_scatter_doubling_algorithm = {
    Operation::kBcast,
    "scatter_doubling",
    kPowerOfTwo,
    Order::kRanks,
    &bcast_scatter_doubling,
    &doubled_cost<scatter_binomial_algorithm, allgather_recursive_doubling_algorithm>,
    "scatter binomial + allgather recursive_doubling; between nodes m / 2 on the root's link",
};
const Algorithm bcast_straight_allgather_algorithm = {
    Operation::kBcast,
    "straight_allgather",
    kNothing,
    Order::kRanks,
    &bcast_straight_allgather,
    &composed_cost<scatter_linear_algorithm, allgather_ring_algorithm>,
    "scatter linear + allgather ring",
};
const Algorithm bcast_straight_doubling_algorithm = {
    Operation::kBcast,
    "straight_doubling",
    kPowerOfTwo,
    Order::kRanks,
    &bcast_straight_doubling,
    &doubled_cost<scatter_linear_algorithm, allgather_recursive_doubling_algorithm>,
    "scatter linear + allgather recursive_doubling; between nodes m / 2 on the root's link",
};
const Algorithm bcast_straight_shared_algorithm = {
    Operation::kBcast,
    "straight_shared",
    kSharedBuffer,
    Order::kRanks,
    &bcast_straight_shared,
    &composed_cost<scatter_linear_algorithm, allgather_shared_algorithm>,
    "scatter linear + allgather shared",
    [](const Shape& shape) { return shape.has_segments && has_room(shape, shape.bytes / shape.ranks); },
};

}  // namespace starling::collective
