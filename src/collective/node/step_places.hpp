// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// StepPlaces: where in a SharedBuffer that lies which ranks write in a step.
// Thread safety: SharedBuffer says who writes what, and when. Ownership: a view.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/node/arrival_history.hpp"
#include "collective/node/shared_buffer_layout.hpp"

namespace starling::collective {

/// Whether the ranks of a step wait for each other.
enum class Pace : std::uint8_t {
  kTogether,  ///< each for all: none is ahead of others by more than a step
  kAhead,     ///< who writes waits for nobody but when there is no room
};

/// In how much of its segments a rank lays out the data of its steps.
enum class Area : std::uint8_t {
  kTwoSegments,  ///< as is enough where ranks keep together
  kAll,
  kFewPlaces,
};

class StepPlaces : public SharedBufferLayout {
 public:
  /// depth: of the flags. parted: data of every step take no more of a segment than they need, so that a rank may be
  /// further ahead of its readers; else only those of a rank that is ahead do.
  StepPlaces(std::byte* base, std::int32_t ranks, std::uint64_t depth, bool parted) noexcept
      : base_(base),
        meetings_(reinterpret_cast<Meeting*>(base + kHeadBytes)),
        flags_(base + kHeadBytes + depth * sizeof(Meeting)),
        segments_(base + flag_bytes(ranks, depth)),
        ranks_(ranks),
        depth_(depth),
        segment_bytes_(static_cast<std::int64_t>(SharedBufferLayout::segment_bytes(ranks))),
        rank_bytes_(segments_for(depth) * SharedBufferLayout::segment_bytes(ranks)),
        parted_(parted) {}

  [[nodiscard]] std::int32_t ranks() const noexcept { return ranks_; }
  /// How many steps a rank may be ahead of its readers where it writes nothing but its flag.
  [[nodiscard]] std::uint64_t flag_depth() const noexcept { return depth_; }
  /// Of one segment.
  [[nodiscard]] std::int64_t segment_bytes() const noexcept { return segment_bytes_; }

  [[nodiscard]] Flag& flag(std::int32_t rank, std::uint64_t k) const noexcept {
    return reinterpret_cast<Flag*>(flags_of(rank))[k & (depth_ - 1)];
  }
  [[nodiscard]] std::byte* segment(std::int32_t rank, std::uint64_t k) const noexcept {
    return place(rank, k, static_cast<std::uint64_t>(segment_bytes_), Area::kTwoSegments);
  }
  /// What `bytes` take of a rank's segments. Who writes and who reads say the same pace.
  [[nodiscard]] std::uint64_t place_bytes(std::int64_t bytes, Pace pace) const noexcept {
    return SharedBufferLayout::place_bytes(bytes, segment_bytes_, smallest_place(pace));
  }
  /// How many steps a rank that writes a place of so many bytes in each may be ahead of its readers.
  [[nodiscard]] std::uint64_t places_for(std::uint64_t place, Area area) const noexcept {
    return std::min(depth_, bytes_of(area, place) / place);
  }
  /// Of the common result of step k.
  [[nodiscard]] Flag& result_flag(std::uint64_t k) const noexcept { return meeting(k).result; }
  [[nodiscard]] std::byte* result_segment(std::uint64_t k) const noexcept { return segment(ranks_, k); }
  [[nodiscard]] std::byte* result(std::uint64_t k, std::int64_t bytes) const noexcept {
    return bytes <= kRides ? result_flag(k).payload : result_segment(k);
  }

  /// Only where there are segments.
  [[nodiscard]] ArrivalHistory history() const noexcept {
    return {base_ + total_bytes(ranks_, depth_) - history_bytes(ranks_), ranks_};
  }

 protected:
  [[nodiscard]] Head& head() const noexcept { return *reinterpret_cast<Head*>(base_); }
  [[nodiscard]] Meeting& meeting(std::uint64_t k) const noexcept { return meetings_[k & (depth_ - 1)]; }
  /// Places of one size lie side by side; all sizes are powers of two.
  [[nodiscard]] std::byte* place(std::int32_t rank, std::uint64_t k, std::uint64_t bytes, Area area) const noexcept {
    return segments_ + static_cast<std::uint64_t>(rank) * rank_bytes_ + ((k * bytes) & (bytes_of(area, bytes) - 1));
  }
  /// The step that a rank has left behind.
  [[nodiscard]] std::atomic<std::uint64_t>& finished(std::int32_t rank) const noexcept {
    return reinterpret_cast<Finished*>(flags_of(rank) + depth_ * sizeof(Flag))->step;
  }

 private:
  [[nodiscard]] std::int64_t smallest_place(Pace pace) const noexcept {
    return parted_ || pace == Pace::kAhead ? kSmallestPlaceBytes : segment_bytes_;
  }
  /// Of an area with places of so many bytes; a power of two.
  [[nodiscard]] std::uint64_t bytes_of(Area area, std::uint64_t place) const noexcept {
    if (area == Area::kAll) return rank_bytes_;
    const std::uint64_t wanted =
        area == Area::kFewPlaces ? std::max(2 * place, kFewBytes) : 2 * static_cast<std::uint64_t>(segment_bytes_);
    return std::min(rank_bytes_, wanted);
  }
  [[nodiscard]] std::byte* flags_of(std::int32_t rank) const noexcept {
    return flags_ + static_cast<std::uint64_t>(rank) * rank_flag_bytes(depth_);
  }

  std::byte* base_;
  Meeting* meetings_;
  std::byte* flags_;
  std::byte* segments_;
  std::int32_t ranks_;
  std::uint64_t depth_;
  std::int64_t segment_bytes_;
  std::uint64_t rank_bytes_;  ///< of a rank's segments
  bool parted_;
};

}  // namespace starling::collective
