// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Selector: picks the cheapest algorithm that fits a call, or the one that STARLING_COLL_<OP> names, and says why.
// Thread safety: immutable after creation.
// Invariants: the choice depends only on the Shape and the configuration, which must be the same on every rank.
#pragma once

#include <array>
#include <string>

#include "base/status.hpp"
#include "collective/choose/algorithm.hpp"
#include "config/config.hpp"

namespace starling::collective {

class Selector {
 public:
  /// Fails when a variable names no algorithm of its operation, where the message lists those there are, or gives no
  /// constants.
  static Result<Selector> create(const config::Store& config, std::int32_t cores);

  [[nodiscard]] const Algorithm& choose(const Shape& shape) const noexcept;
  /// The cheapest algorithm that shares memory where the chosen one sends messages, or the other way round. Null where
  /// there is none, where it is much dearer, or where a variable names the algorithm.
  [[nodiscard]] const Algorithm* rival(const Shape& shape) const noexcept;
  /// What the model says of the chosen algorithm, in nanoseconds.
  [[nodiscard]] double cost(const Shape& shape) const noexcept { return choose(shape).cost(shape, machine(shape)); }
  /// Which algorithm a call would run and what the others would cost.
  [[nodiscard]] std::string explain(const Shape& shape) const;
  [[nodiscard]] bool reproducible() const noexcept { return reproducible_; }
  /// Whether calls of ranks on several nodes may go in levels.
  [[nodiscard]] bool goes_in_levels() const noexcept { return goes_in_levels_; }
  /// Whether ranks may learn while the program runs what the constants do not tell.
  [[nodiscard]] bool learns() const noexcept { return learns_; }
  /// Whether the algorithm that was asked for needs to know when ranks come.
  [[nodiscard]] bool wants_prediction(Operation operation) const noexcept {
    const Algorithm* wanted = forced_[static_cast<std::size_t>(operation)];
    return wanted != nullptr && (wanted->needs & kPredicted) != 0;
  }
  /// The algorithm for a call of ranks that see the machine so.
  [[nodiscard]] const Algorithm& choose(const Shape& shape, const Machine& machine) const noexcept;
  /// As ranks at this distance see it.
  [[nodiscard]] const Machine& machine(tuning::Distance distance) const noexcept {
    return machines_[static_cast<std::size_t>(distance)];
  }
  /// As the ranks of a call see it: on several nodes with the cores of all of them.
  [[nodiscard]] Machine machine(const Shape& shape) const noexcept {
    Machine seen = machine(shape.distance).on_nodes(shape.nodes);
    seen.sharers = std::max(1, shape.node_ranks);
    return seen;
  }
  /// The constants that hold at this distance, a line each.
  [[nodiscard]] std::string explain(tuning::Distance distance) const;

 private:
  Selector() = default;

  [[nodiscard]] const Algorithm* forced(const Shape& shape) const noexcept {
    return forced_[static_cast<std::size_t>(shape.operation)];
  }

  std::array<const Algorithm*, kOperationCount> forced_{};
  std::array<Machine, tuning::kDistances> machines_{};
  bool reproducible_ = false;
  bool goes_in_levels_ = true;
  bool learns_ = true;
};

/// The algorithms of an operation with their cost lines and what each needs.
[[nodiscard]] std::string list(Operation operation);

/// Why the algorithm cannot run a call of this shape; empty when it can.
[[nodiscard]] std::string misfit(const Algorithm& algorithm, const Shape& shape);

}  // namespace starling::collective
