// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a chain in segments: every rank passes a segment on while it takes the next.
// Source: Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", 2005 (pipeline model).
// Limits: long messages. Cost: (p - 2 + m / s) * (alpha + s * beta) with segments of s bytes on one node; between nodes
// (p - 1) * (alpha + s * beta) + (m / s - 1) * (next + s * beta).
#include "collective/parts/chain.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "collective/choose/list.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {

Task bcast_chain(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const std::int32_t before = (call.rank() - 1 + ranks) % ranks;
  const std::int32_t behind = (call.rank() + 1) % ranks;
  Packed data(call, me == 0 ? Packed::Access::kRead : Packed::Access::kWrite, a.receive_buffer, a.receive_count,
              *a.receive_type);
  if (!data) co_return;

  const std::int64_t segment = chain_segment(call, data.bytes());
  const std::int64_t segments = std::max<std::int64_t>(1, (data.bytes() + segment - 1) / segment);
  const auto at = [&](std::int64_t index) { return data.data() + index * segment; };
  const auto length = [&](std::int64_t index) { return std::min(segment, data.bytes() - index * segment); };
  std::array<std::optional<Transfer>, kSegmentsAhead> arriving;
  const auto expect = [&](std::int64_t index) {
    if (me != 0 && index < segments)
      arriving[static_cast<std::size_t>(index % kSegmentsAhead)].emplace(
          call.receive_bytes(at(index), length(index), before));
  };
  for (std::int64_t i = 0; i < kSegmentsAhead; ++i) expect(i);
  Batch passed_on(call);
  for (std::int64_t i = 0; i < segments; ++i) {
    if (me != 0) {
      Transfer arrival = std::move(*arriving[static_cast<std::size_t>(i % kSegmentsAhead)]);
      co_await arrival;
      expect(i + kSegmentsAhead);
    }
    if (me != ranks - 1) passed_on.add(call.send_bytes(at(i), length(i), behind));
  }
  co_await passed_on;
  if (me != 0) data.commit();
}

const Algorithm bcast_chain_algorithm = {
    Operation::kBcast,
    "chain",
    kNothing,
    Order::kRanks,
    &bcast_chain,
    [](const Shape& shape, const Machine& machine) { return chain_cost(shape, machine); },
    "(p - 2 + m / s) * (alpha + s * beta), s = 64k; between nodes less, and next for all segments but the first",
};

}  // namespace starling::collective
