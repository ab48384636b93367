// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How many messages a rank sends at once, before the first of them has arrived. Where a message takes much longer than
// a rank needs to send the next one, as between nodes, few steps with several messages each are quicker than many steps
// with one. All numbers follow from the machine's constants, so every rank comes to the same.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
// Message-Passing Systems", 1997 (steps of radix r); Hoefler, Mehlan, Mietke, Rehm, "Fast Barrier Synchronization for
// InfiniBand", 2006 (n-way dissemination); Wilkins et al., "Generalized Collective Algorithms for the Exascale Era",
// CLUSTER 2023 (recursive multiplying). Thread safety: pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

/// What messages between the ranks of a call cost, with the cores of all their nodes, as its cost lines have seen it.
/// All costs are 0 while the communicator does not know it (NodeMemory::machine): then nobody sends several at once.
[[nodiscard]] Machine machine_of(const Call& call) noexcept;

/// Steps in each of which a rank sends to those that are 1, 2, ... radix - 1 times a distance away, which begins with 1
/// and is `radix` times as long in each step.
struct Dissemination {
  std::int32_t ranks;
  std::int32_t radix;

  /// The one that costs least; on one node the radix is 2.
  static Dissemination of(std::int32_t ranks, tuning::Distance distance, const Machine& machine) noexcept;
  static Dissemination of(const Shape& shape, const Machine& machine) noexcept {
    return of(shape.ranks, shape.distance, machine);
  }
  static Dissemination of(const Call& call) noexcept;

  /// Of a step with this distance.
  [[nodiscard]] std::int32_t messages(std::int64_t distance) const noexcept;
  [[nodiscard]] std::int32_t steps() const noexcept;
  /// All messages that one rank sends.
  [[nodiscard]] std::int32_t all_messages() const noexcept;
  /// What all steps cost where every rank sends `bytes` altogether.
  [[nodiscard]] double cost_ns(double bytes, const Machine& machine) const noexcept;
};

/// Steps in each of which groups of ranks exchange what they have, everybody with everybody: after groups of r1 ranks
/// side by side those of r2 such groups, and so on. Ranks beyond the product of all group sizes take no part.
class Multiplying {
 public:
  /// The one that costs least for vectors of so many bytes. For ranks on several nodes.
  static Multiplying of(std::int32_t ranks, std::int64_t bytes, const Machine& machine) noexcept;

  [[nodiscard]] std::span<const std::int32_t> group_sizes() const noexcept { return {sizes_.data(), steps_}; }
  [[nodiscard]] std::int32_t participants() const noexcept { return participants_; }
  [[nodiscard]] std::int32_t largest() const noexcept;
  /// With the messages to and from the ranks that take no part.
  [[nodiscard]] double cost_ns(std::int32_t ranks, double bytes, const Machine& machine) const noexcept;

 private:
  static constexpr std::size_t kMostSteps = 31;
  /// `steps` groups of nearly equal sizes, whose product is as near to `ranks` as it can be without passing it.
  Multiplying(std::int32_t ranks, std::int32_t steps) noexcept;

  std::array<std::int32_t, kMostSteps> sizes_{};
  std::size_t steps_ = 0;
  std::int32_t participants_ = 1;
};

/// Messages that a rank has under way at once where everybody sends to everybody.
inline constexpr std::int32_t kWindow = 64;

/// What it costs that every rank sends `bytes` to every other one, a window at a time.
[[nodiscard]] double windows_cost(std::int32_t ranks, double bytes, const Machine& machine) noexcept;
inline constexpr const char* kWindowsCost =
    "1.2 * (alpha + (p - 2) * next) + (p - 1) * b * beta + own; alpha and wait again for 64";

}  // namespace starling::collective
