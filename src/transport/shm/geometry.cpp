// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/geometry.hpp"

#include <algorithm>
#include <bit>

#include "memory/page.hpp"

namespace starling::transport::shm {
namespace {

STARLING_CONFIG(ring_slots, "SHM_RING_SLOTS", std::int64_t, 128, kSharedMemory, kProcess,
                "Postboxes of one connection: how many packets may be under way between two ranks (a power of two).");
STARLING_CONFIG(connection_pool, "SHM_CONNECTION_POOL", std::int64_t, 256 * 1024, kSharedMemory, kProcess,
                "Bytes of buffers that each connection has of its own; memory is used only as messages need it.");
STARLING_CONFIG(send_pool, "SHM_SEND_POOL", std::int64_t, 0, kSharedMemory, kProcess,
                "Bytes of buffers in one pool for all connections of a sender, in place of connection pools (0: off).");
STARLING_CONFIG(
    arena, "SHM_ARENA", std::int64_t, 256 * 1024 * 1024, kSharedMemory, kProcess,
    "Bytes of address space in the job segment for collectives and windows; memory is used only as needed.");

using memory::kPage;

std::uint64_t pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::uint64_t ring_end(std::uint32_t slots) { return sizeof(ConnectionHead) + std::uint64_t{slots} * sizeof(Postbox); }

std::uint64_t positive(std::int64_t value, std::int64_t least) {
  return static_cast<std::uint64_t>(std::max(value, least));
}

}  // namespace

memory::JobGeometry geometry(std::uint32_t ranks, const config::Store& config) {
  memory::JobGeometry shape;
  shape.ranks = ranks;
  shape.world_ranks = ranks;
  shape.ring_slots =
      std::bit_ceil(static_cast<std::uint32_t>(std::clamp<std::int64_t>(config.get(ring_slots), 4, 65536)));
  const bool pooled_by_sender = config.get(send_pool) > 0;
  shape.connection_bytes = pages(ring_end(shape.ring_slots));
  if (pooled_by_sender) {
    shape.sender_pool_bytes = pages(positive(config.get(send_pool), 64 * 1024));
  } else {
    shape.connection_bytes += pages(positive(config.get(connection_pool), 32 * 1024));
  }
  shape.arena_bytes = pages(positive(config.get(arena), 1024 * 1024));
  return shape;
}

ConnectionView view(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender) {
  const std::uint32_t slots = segment.header().geometry.ring_slots;
  const std::span<std::byte> bytes = segment.connection(receiver, sender);
  const std::uint64_t ring = ring_end(slots);
  ConnectionView parts;
  parts.head = reinterpret_cast<ConnectionHead*>(bytes.data());
  parts.postboxes = reinterpret_cast<Postbox*>(bytes.data() + sizeof(ConnectionHead));
  parts.eager = bytes.first(ring);
  parts.buffers = bytes.subspan(std::min<std::uint64_t>(pages(ring), bytes.size()));
  return parts;
}

}  // namespace starling::transport::shm
