// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a chain in segments: every rank passes a segment on while it takes the next.
// Source: Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", 2005 (pipeline model).
// Limits: long messages. Cost: (p - 2 + m / s) * (alpha + s * beta) with segments of s bytes.
#include <algorithm>
#include <optional>

#include "collective/choose/list.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

constexpr std::int64_t kSegmentBytes = 64 * 1024;

}  // namespace

Task bcast_chain(Call& call, const Arguments& a) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = (call.rank() - a.root + ranks) % ranks;
  const std::int32_t before = (call.rank() - 1 + ranks) % ranks;
  const std::int32_t behind = (call.rank() + 1) % ranks;
  Packed data(call, me == 0 ? Packed::Access::kRead : Packed::Access::kWrite, a.receive_buffer, a.receive_count,
              *a.receive_type);
  if (!data) co_return;

  const auto length = [&](std::int64_t at) { return std::min(kSegmentBytes, data.bytes() - at); };
  std::optional<Transfer> next;
  if (me != 0) next.emplace(call.receive_bytes(data.data(), length(0), before));
  Batch passed_on(call);
  for (std::int64_t at = 0; at == 0 || at < data.bytes(); at += kSegmentBytes) {
    if (me != 0) {
      Transfer arriving = std::move(*next);
      if (at + kSegmentBytes < data.bytes()) {
        const std::int64_t after = at + kSegmentBytes;
        next.emplace(call.receive_bytes(data.data() + after, length(after), before));
      }
      co_await arriving;
    }
    if (me != ranks - 1) passed_on.add(call.send_bytes(data.data() + at, length(at), behind));
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
    [](const Shape& shape, const Machine& machine) {
      const double segments = std::max(1.0, static_cast<double>(shape.bytes) / kSegmentBytes);
      return machine.messages(shape.ranks - 2 + segments, static_cast<double>(shape.bytes) / segments, shape.ranks);
    },
    "(p - 2 + m / 64k) * (alpha + 64k * beta)",
};

}  // namespace starling::collective
