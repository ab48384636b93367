// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/shared_buffer_layout.hpp"

#include "collective/node/arrival_history.hpp"
#include "memory/page.hpp"

namespace starling::collective {
namespace {

using memory::kPage;
constexpr std::uint64_t kLargestSegment = 64 * 1024;
constexpr std::uint64_t kSegmentsBudget = 8 * 1024 * 1024;
constexpr std::uint64_t kFlagsBudget = 256 * 1024;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t SharedBufferLayout::depth_for(std::int32_t ranks) noexcept {
  std::uint64_t depth = kMostDepth;
  while (depth > kLeastDepth && depth * sizeof(Flag) * static_cast<std::uint64_t>(ranks) > kFlagsBudget) depth /= 2;
  return depth;
}

std::uint64_t SharedBufferLayout::flag_bytes(std::int32_t ranks, std::uint64_t depth) noexcept {
  const std::uint64_t heads = kHeadBytes + depth * sizeof(Meeting);
  return round_up(heads + static_cast<std::uint64_t>(ranks) * rank_flag_bytes(depth), kPage);
}

std::uint64_t SharedBufferLayout::segment_bytes(std::int32_t ranks) noexcept {
  const std::uint64_t segments = segments_for(depth_for(ranks)) * static_cast<std::uint64_t>(ranks);
  std::uint64_t bytes = kLargestSegment;
  while (bytes > kSmallestSegmentBytes && bytes * segments > kSegmentsBudget) bytes /= 2;
  return bytes;
}

std::uint64_t SharedBufferLayout::history_bytes(std::int32_t ranks) noexcept {
  return round_up(ArrivalHistory::bytes(ranks), kPage);
}

std::uint64_t SharedBufferLayout::total_bytes(std::int32_t ranks, std::uint64_t depth) noexcept {
  const std::uint64_t segments = static_cast<std::uint64_t>(ranks + 1) * segments_for(depth);
  return flag_bytes(ranks, depth) + segments * segment_bytes(ranks) + history_bytes(ranks);
}

}  // namespace starling::collective
