// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The tree by which a message reaches all ranks soonest where a rank can send several before the first has arrived:
// whoever has it sends it on, one message after the other, until everybody has it. Where the first arrives before the
// second is sent it is a binomial tree, and with as many messages at once as there are ranks all hang at the top. As in
// BinomialTree, ranks count from the one at the top, a subtree is a range of them that begins with its own top, and
// children come in the order of growing subtrees: the first to be sent to is the last of them.
// Source: Bar-Noy, Kipnis, "Designing Broadcasting Algorithms in the Postal Model for Message-Passing Systems", 1992.
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

class PostalTree {
 public:
  /// As `rank` sees it. delay: how many messages a rank sends until the first of them has arrived, from 1 on; more than
  /// kMostDelay count as so many.
  PostalTree(std::int32_t ranks, std::int32_t rank, std::int32_t top, std::int32_t delay);
  enum class Direction : std::uint8_t { kDown, kUp };
  /// Of a call, with messages of so many bytes. The delay follows from its machine (parts/fan.hpp).
  PostalTree(const Call& call, std::int32_t top, std::int64_t bytes, Direction direction);

  static constexpr std::int32_t kMostDelay = 64;

  [[nodiscard]] bool at_top() const noexcept { return place_ == 0; }
  [[nodiscard]] std::int32_t parent() const noexcept { return rank(parent_); }
  [[nodiscard]] std::int32_t children() const noexcept { return static_cast<std::int32_t>(children_.size()); }
  struct Child {
    std::int32_t rank;
  };
  [[nodiscard]] Child child(std::int32_t index) const noexcept {
    return {rank(children_[static_cast<std::size_t>(index)])};
  }

 private:
  /// The rank at a distance from the top.
  [[nodiscard]] std::int32_t rank(std::int32_t place) const noexcept { return (place + top_) % ranks_; }

  std::int32_t ranks_;
  std::int32_t top_;
  std::int32_t place_;
  std::int32_t parent_ = 0;             ///< a place
  std::vector<std::int32_t> children_;  ///< places
};

/// What a message to all costs over the tree between nodes.
[[nodiscard]] double postal_down_cost(const Shape& shape, const Machine& machine) noexcept;
/// What one from all costs. folded_ns: for each one that is combined with another.
[[nodiscard]] double postal_up_cost(const Shape& shape, const Machine& machine, double folded_ns) noexcept;

}  // namespace starling::collective
