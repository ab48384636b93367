// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What lies where in a SharedBuffer.
//
// Layout: Head | Meeting[flag_depth] | n times (Flag[flag_depth] | Finished) | segments
// [n + 1][segments_for(flag_depth)][segment_bytes], the last rank's being those of the common result | ArrivalHistory,
// which is there when the segments are. Thread safety: SharedBuffer says who writes what. Invariants: ranks that share
// one have libraries of the same layout (world/network/library_layout.cpp). All orders that C++ permits are tried in
// tests/weak_memory/shared_buffer_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"
#include "base/id.hpp"

namespace starling::collective {

/// What a rank says in a step, and the data that are short enough to lie beside it: up to kInFirstLine bytes in the
/// same cache line. Processors fetch cache lines in pairs, so no two flags share one, or reading one step would take
/// the next from its writer.
struct alignas(2 * kCacheLine) Flag {
  static constexpr std::size_t kInFirstLine = 48;  ///< in the cache line of the stamp
  static constexpr std::size_t kInline = 240;      ///< in all

  std::atomic<std::uint64_t> stamp{0};
  std::int64_t bytes : 56 = 0;  ///< how many its writer contributes, here or in its segments
  std::uint64_t few : 8 = 0;    ///< whether they lie in few places of these (PlacesChoice)
  alignas(16) std::byte payload[kInline] = {};
};
static_assert(sizeof(Flag) == 4 * kCacheLine);

/// How many bytes lie beside a flag, and need no segment.
inline constexpr auto kRides = static_cast<std::int64_t>(Flag::kInline);

struct SharedBufferLayout {
  // How many steps a rank may be ahead of those who read its flags. With a core for every rank that hides how long a
  // cache line takes; with more ranks than cores as many calls share one switch between ranks.
  static constexpr std::uint64_t kMostDepth = 64;
  static constexpr std::uint64_t kLeastDepth = 4;
  static constexpr std::uint64_t kMostSegments = 4;  ///< of a rank
  static constexpr std::int64_t kSmallestSegmentBytes = 4096;
  static constexpr std::int64_t kSmallestPlaceBytes = 512;  ///< of a segment, for data of one step
  static constexpr std::uint64_t kFewBytes = 16 * 1024;     ///< where data lie in few places, but two at least

  enum class Segments : std::uint32_t { kUnknown, kReal, kRefused };
  /// But for blocked, changed only under the arena's guard.
  struct Head {
    std::uint64_t next = 0;  ///< offset of the next shared buffer of the segment
    std::uint32_t context_id = 0;
    LocalRank leader;            ///< of rank 0: with the context id it names the communicator
    std::uint32_t instance = 0;  ///< which shared buffer of the communicator
    std::int32_t users = 0;      ///< ranks that have not let go yet, those still to come included
    std::uint64_t bytes = 0;     ///< of the block
    Segments segments = Segments::kUnknown;
    bool refused = false;  ///< nothing but this head: every rank learns from it that there is no shared buffer
    alignas(kCacheLine) std::atomic<std::uint32_t> blocked{0};  ///< ranks that wait for others to finish a step
  };
  static constexpr std::uint64_t kHeadBytes = 2 * kCacheLine;
  static_assert(sizeof(Head) == kHeadBytes);

  struct alignas(2 * kCacheLine) Meeting {
    std::atomic<std::uint32_t> arrived{0};
    std::atomic<std::uint32_t> waiting{0};  ///< a rank + 1
    Flag result;
  };
  static_assert(sizeof(Meeting) == 6 * kCacheLine);

  /// The step that a rank has left behind.
  struct alignas(2 * kCacheLine) Finished {
    std::atomic<std::uint64_t> step{0};
  };
  static_assert(sizeof(Finished) == 2 * kCacheLine);

  /// What `bytes` of one step take of a rank's segments: a power of two, from `smallest` to a segment.
  static std::uint64_t place_bytes(std::int64_t bytes, std::int64_t segment_bytes, std::int64_t smallest) noexcept {
    return std::bit_ceil(static_cast<std::uint64_t>(std::clamp(bytes, smallest, segment_bytes)));
  }
  /// How many steps a rank that writes so many bytes in each may be ahead of its readers, with flags of this depth and
  /// more ranks than cores.
  static std::uint64_t depth_for_data(std::int64_t bytes, std::uint64_t flags, std::int64_t segment_bytes) noexcept {
    if (bytes <= kRides) return flags;
    return std::min(flags, segments_for(flags) * static_cast<std::uint64_t>(segment_bytes) /
                               place_bytes(bytes, segment_bytes, kSmallestPlaceBytes));
  }
  /// Of every rank's flags; a power of two, the same on all ranks.
  static std::uint64_t depth_for(std::int32_t ranks) noexcept;
  /// The segments of a rank that has so many flags; a power of two.
  static std::uint64_t segments_for(std::uint64_t depth) noexcept { return std::min(kMostSegments, depth / 2); }

  // Bytes of arena for so many ranks: a rank's flags, the head and all flags, one segment, the history, and all
  // together.
  static std::uint64_t rank_flag_bytes(std::uint64_t depth) noexcept { return depth * sizeof(Flag) + sizeof(Finished); }
  static std::uint64_t flag_bytes(std::int32_t ranks, std::uint64_t depth) noexcept;
  static std::uint64_t segment_bytes(std::int32_t ranks) noexcept;
  static std::uint64_t history_bytes(std::int32_t ranks) noexcept;
  static std::uint64_t total_bytes(std::int32_t ranks, std::uint64_t depth) noexcept;
};

}  // namespace starling::collective
