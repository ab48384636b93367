// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast around late ranks through the shared buffer (parts/relay.hpp): the root lays the data there piece by piece,
// as far ahead as two steps have room, and whoever comes takes them, so that a late rank holds up nobody and a late
// root is followed piece by piece. Data that are longer, and that somebody else than the root is expected to come late
// for, go down the tree in the order of arrival (clairvoyant.cpp). Limits: one node; only where it is known when ranks
// come. Cost: one copy behind a late rank. Source: Patarasuk, Yuan, IPDPS 2008, for the aim; Parsons, Pai 2015 for
// shared memory (see node/shared_buffer.hpp).
#include <algorithm>

#include "collective/arguments/prediction.hpp"
#include "collective/choose/list.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/relay.hpp"

namespace starling::collective {
namespace {

/// Whether no rank waits for another but the root. The same on all ranks.
bool waits_for_root_only(const Arguments& a, std::int64_t segment_bytes) {
  const auto& arrivals = a.prediction->arrivals;
  const std::int64_t ahead = SharedBufferLayout::kSegmentDepth * (a.comm->size() + 1) * segment_bytes;
  const bool root_last =
      *std::max_element(arrivals.begin(), arrivals.end()) <= arrivals[static_cast<std::size_t>(a.root)];
  return root_last || a.receive_count * a.receive_type->size() <= ahead;
}

}  // namespace

Task bcast_clairvoyant_relay(Call& call, const Arguments& a) {
  if (!waits_for_root_only(a, call.node_memory().buffer()->segment_bytes()))
    co_return co_await bcast_clairvoyant(call, a);
  Turn turn(call);
  co_await turn.enter();
  const bool gives = call.rank() == a.root;
  Packed data(call, gives ? Packed::Access::kRead : Packed::Access::kWrite, a.receive_buffer, a.receive_count,
              *a.receive_type);
  if (!data) co_return;
  const std::int32_t writers[] = {a.root};
  const RelayPart part{writers, data.data(), gives ? nullptr : data.data(), data.bytes(), byte_type()};
  co_await relay(call, turn.buffer(), part);
  if (!gives) data.commit();
}

const Algorithm bcast_clairvoyant_relay_algorithm = {
    Operation::kBcast,
    "clairvoyant_relay",
    kSharedBuffer | kPredicted | kByArrival,
    Order::kRanks,
    &bcast_clairvoyant_relay,
    [](const Shape& shape, const Machine& machine) {
      const auto bytes = static_cast<double>(shape.bytes);
      const double readers = shape.late ? 1 : 1 + machine.share(shape.ranks);
      return machine.line_ns + machine.fetch(bytes) + bytes * machine.copy_byte_ns * readers;
    },
    "line + m * 2 * copy; line + m * copy when late",
    [](const Shape& shape) { return shape.has_segments && shape.bytes > static_cast<std::int64_t>(Flag::kInline); },
};

}  // namespace starling::collective
