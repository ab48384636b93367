// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a chain in segments: every rank combines a segment that comes from the one behind with its own and
// passes it on, while the next ones are on their way. Limits: long vectors of elements without gaps; commutative
// operators, for the chain ends at the root. Cost: as bcast/chain.cpp, with gamma for each byte.
// Source: Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", 2005 (pipeline model).
#include "collective/parts/chain.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "collective/choose/list.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

Task reduce_chain(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const std::int32_t before = (call.rank() - 1 + ranks) % ranks;
  const std::int32_t behind = (call.rank() + 1) % ranks;
  const datatype::Datatype& type = *a.receive_type;
  const std::int64_t count = a.receive_count;
  const std::int64_t bytes = count * type.size();
  const std::int64_t segment = std::max<std::int64_t>(1, chain_segment(call, bytes) / type.size());  // in elements
  const std::int64_t segments = (count + segment - 1) / segment;
  const auto length = [&](std::int64_t index) { return std::min(segment, count - index * segment); };
  const auto mine = [&](std::int64_t index) { return element(input(a), index * segment, type); };
  if (ranks == 1) {
    if (!a.in_place) call.copy(input(a), a.receive_buffer, count, type);
    co_return;
  }
  if (me == ranks - 1) {
    Batch passed_on(call);
    for (std::int64_t i = 0; i < segments; ++i) passed_on.add(call.send(mine(i), length(i), type, before));
    co_await passed_on;
    co_return;
  }
  // A place for each segment that may arrive, and as many for those that are being passed on.
  constexpr std::int64_t kPlaces = 2 * kSegmentsAhead;
  Scratch places(call, std::min(count, segment * kPlaces), type);
  if (!places) co_return;
  const auto place = [&](std::int64_t index) { return element(places.data(), index % kPlaces * segment, type); };
  std::array<std::optional<Transfer>, kSegmentsAhead> arriving;
  std::array<std::optional<Transfer>, kSegmentsAhead> passed_on;
  const auto expect = [&](std::int64_t index) {
    if (index < segments)
      arriving[static_cast<std::size_t>(index % kSegmentsAhead)].emplace(
          call.receive(place(index), length(index), type, behind));
  };
  for (std::int64_t i = 0; i < kSegmentsAhead; ++i) expect(i);
  for (std::int64_t i = 0; i < segments; ++i) {
    const auto turn = static_cast<std::size_t>(i % kSegmentsAhead);
    Transfer arrival = std::move(*arriving[turn]);
    co_await arrival;
    if (me == 0) {
      void* result = element(a.receive_buffer, i * segment, type);
      if (!a.in_place) call.copy(mine(i), result, length(i), type);
      call.reduce(place(i), result, length(i), type);
    } else {
      call.reduce(mine(i), place(i), length(i), type);
      // What is expected next takes the place of what was passed on so many segments ago.
      if (passed_on[turn]) {
        Transfer before_it = std::move(*passed_on[turn]);
        co_await before_it;
      }
      passed_on[turn].emplace(call.send(place(i), length(i), type, before));
    }
    expect(i + kSegmentsAhead);
  }
  Batch last(call);
  for (std::optional<Transfer>& transfer : passed_on) {
    if (transfer) last.add(std::move(*transfer));
  }
  co_await last;
}

const Algorithm reduce_chain_algorithm = {
    Operation::kReduce,
    "chain",
    kCommutative | kDense,
    Order::kAny,
    &reduce_chain,
    [](const Shape& shape, const Machine& machine) { return chain_cost(shape, machine, machine.reduce_byte_ns); },
    "as bcast chain, and gamma for each byte",
};

}  // namespace starling::collective
