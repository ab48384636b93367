// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/segment_offsets.hpp"

#include "memory/page.hpp"

namespace starling::memory {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t words_for(std::uint32_t ranks) {
  return round_up(round_up(ranks, 64) / 64, kCacheLine / sizeof(std::uint64_t));
}

std::uint64_t ring_bytes(const JobGeometry& geometry) {
  return geometry.trace_events == 0 ? 0 : observe::EventRing::bytes(geometry.trace_events);
}

}  // namespace

SegmentOffsets::SegmentOffsets(const JobGeometry& geometry) noexcept
    : incoming_words(words_for(geometry.ranks)),
      liveness_words(words_for(geometry.world_ranks) + words_for(2 * geometry.world_ranks)),
      rank_blocks(round_up(sizeof(JobHeader), kPage)),
      incoming(round_up(rank_blocks + geometry.ranks * sizeof(RankBlock), kPage)),
      liveness(incoming + geometry.ranks * incoming_words * sizeof(std::uint64_t)),
      directory(liveness + liveness_words * sizeof(std::uint64_t)),
      traffic(round_up(directory + observe::CommunicatorDirectory::bytes(geometry.ranks, geometry.world_ranks),
                       kCacheLine)),
      packets(round_up(traffic + observe::TrafficTable::bytes(geometry.ranks, geometry.world_ranks), kCacheLine)),
      event_rings(round_up(packets + observe::PacketTable::bytes(geometry.ranks, geometry.world_ranks), kCacheLine)),
      connections(round_up(event_rings + geometry.ranks * ring_bytes(geometry), kPage)),
      sender_pools(connections + std::uint64_t{geometry.ranks} * geometry.ranks * geometry.connection_bytes),
      revoked(sender_pools + geometry.ranks * geometry.sender_pool_bytes),
      arena(revoked + kRevocable / 8),
      end(arena + geometry.arena_bytes) {}

}  // namespace starling::memory
