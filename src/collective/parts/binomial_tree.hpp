// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A binomial tree over the ranks of a call, as one rank sees it. Ranks count from the one at the top: below rank r hang
// the ranks up to r + width, and its i-th child is r + 2^i.
// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005.
// Thread safety: a value. Invariants: children come in the order of growing subtrees.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

class BinomialTree {
 public:
  BinomialTree(const Call& call, std::int32_t top) noexcept
      : ranks_(call.size()), top_(top), place_((call.rank() - top + call.size()) % call.size()) {
    while (mask_ < ranks_ && (place_ & mask_) == 0) {
      if (place_ + mask_ < ranks_) ++children_;
      mask_ *= 2;
    }
  }

  /// This rank's distance from the top.
  [[nodiscard]] std::int32_t place() const noexcept { return place_; }
  [[nodiscard]] bool at_top() const noexcept { return place_ == 0; }
  /// Whether the parent is the one at the top.
  [[nodiscard]] bool below_top() const noexcept { return place_ != 0 && place_ == mask_; }
  /// Ranks in the subtree that begins with this one.
  [[nodiscard]] std::int32_t width() const noexcept { return std::min(mask_, ranks_ - place_); }
  [[nodiscard]] std::int32_t parent() const noexcept { return rank(place_ - mask_); }

  struct Child {
    std::int32_t rank;
    std::int32_t distance;  ///< from its parent
    std::int32_t width;
  };
  [[nodiscard]] std::int32_t children() const noexcept { return children_; }
  [[nodiscard]] Child child(std::int32_t index) const noexcept {
    const std::int32_t distance = 1 << index;
    return {rank(place_ + distance), distance, std::min(distance, ranks_ - place_ - distance)};
  }

  /// The rank at a distance from the top.
  [[nodiscard]] std::int32_t rank(std::int32_t place) const noexcept { return (place + top_) % ranks_; }

 private:
  std::int32_t ranks_;
  std::int32_t top_;
  std::int32_t place_;
  std::int32_t mask_ = 1;  ///< the distance of the parent
  std::int32_t children_ = 0;
};

/// Ranks that follow each other without passing the last one.
struct RankRange {
  std::int32_t first;
  std::int32_t count;
};

/// `count` ranks from `first` on, counted around: one range, or two when they pass the last rank.
inline std::array<RankRange, 2> ranges(std::int32_t first, std::int32_t count, std::int32_t ranks) noexcept {
  const std::int32_t before_end = std::min(count, ranks - first);
  return {RankRange{first, before_end}, RankRange{0, count - before_end}};
}

// The cost of bringing every rank's block to the top, or from there.
inline double blocks_over_tree_cost(const Shape& shape, const Machine& machine) {
  const double moved = static_cast<double>(shape.bytes) * (shape.ranks - 1);
  const double steps = std::max(1, log2_ceil(shape.ranks));
  return machine.messages(steps, moved / steps, shape.ranks) +
         own_block_ns(shape, machine, static_cast<double>(shape.bytes));
}
inline constexpr const char* kBlocksOverTreeCost = "log2(p) * alpha + (p - 1) * b * beta + own";

/// The same from the top. Messages to several children share the link of who sends them, so that the longest, whose
/// blocks have to be passed on, is there last; in memory they are copied one after the other, the longest first.
inline double blocks_down_tree_cost(const Shape& shape, const Machine& machine) {
  const double cost = blocks_over_tree_cost(shape, machine);
  if (shape.distance != tuning::Distance::kNetwork) return cost;
  const double delayed = std::max(0, shape.ranks - 1 - log2_ceil(shape.ranks));
  return cost + delayed * static_cast<double>(shape.bytes) * machine.link_byte_ns();
}
inline constexpr const char* kBlocksDownTreeCost =
    "log2(p) * alpha + (p - 1) * b * beta + own; children share a link between nodes";

inline double blocks_straight_cost(const Shape& shape, const Machine& machine) {
  const bool go_out = shape.operation == Operation::kScatter || shape.operation == Operation::kScatterv;
  const double next = go_out ? machine.next_out() : machine.next_in();
  return machine.row(next, shape.ranks - 1, static_cast<double>(shape.bytes), go_out ? 1 : shape.ranks) +
         machine.wait(shape.ranks) + own_block_ns(shape, machine, static_cast<double>(shape.bytes));
}
inline constexpr const char* kBlocksStraightCost = "alpha + (p - 2) * next + (p - 1) * b * beta + own";

/// A message of `bytes` from the root to every other rank, copied twice. So it lies in shared memory when the root goes
/// on, and a root that stays waits for nobody.
inline double dealt_cost(const Shape& shape, const Machine& machine) {
  const auto bytes = static_cast<double>(shape.bytes);
  const double moved = (shape.ranks - 1) * (machine.fetch(bytes) + bytes * machine.byte_ns);
  return machine.starts(machine.next_out(), shape.ranks - 1) + moved +
         (shape.root_stays && shape.has_buffer ? 0 : machine.wait(shape.ranks));
}
inline constexpr const char* kDealtCost = "alpha + (p - 2) * next + (p - 1) * m * beta; no wait for a root that stays";

inline double blocks_dealt_cost(const Shape& shape, const Machine& machine) {
  const double own = own_block_ns(shape, machine, static_cast<double>(shape.bytes));
  return std::min(blocks_straight_cost(shape, machine), dealt_cost(shape, machine) + own);
}
inline constexpr const char* kBlocksDealtCost =
    "alpha + (p - 2) * next + (p - 1) * b * beta + own; no wait for a root that stays";

/// Straight as well, to or from those first who come first: then one block is left to move when a late rank comes.
inline double blocks_around_late_cost(const Shape& shape, const Machine& machine) {
  return shape.late ? machine.message(static_cast<double>(shape.bytes)) : blocks_straight_cost(shape, machine);
}
inline constexpr const char* kBlocksAroundLateCost =
    "alpha + (p - 2) * next + (p - 1) * b * beta + own; alpha + b * beta when late";

}  // namespace starling::collective
