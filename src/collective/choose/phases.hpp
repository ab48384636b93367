// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The phases of an algorithm that goes in levels: calls of other operations, within each node or between one rank of
// each, for each of which an algorithm is chosen in turn. What a call costs in levels is the sum.
// Thread safety: pure. Invariants: phases are the same on every rank; how a node really runs its own is its ranks'
// choice, for they may share more or less memory than is assumed here.
// Source: Luo et al., "HAN: a Hierarchical AutotuNed Collective Communication Framework", CLUSTER 2020 (a cost for each
// phase, not for each whole).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "collective/choose/algorithm.hpp"

namespace starling::collective {

enum class Level : std::uint8_t {
  kNode,   ///< the ranks of each node
  kNodes,  ///< one rank of each node
  kLanes,  ///< on even nodes: for each place on a node the ranks that have it
};

/// "on each node", "between nodes", "in lanes".
[[nodiscard]] const char* name(Level level) noexcept;

struct LevelPhase {
  Level level = Level::kNode;
  Shape shape;
};

struct LevelPhases {
  std::int32_t nodes = 1;
  std::int32_t lanes = 1;  ///< ranks of a node that send to other nodes at once
  std::size_t count = 0;
  std::array<LevelPhase, 4> phases;

  LevelPhases(const Shape& whole, std::initializer_list<LevelPhase> list) noexcept : nodes(whole.nodes) {
    for (const LevelPhase& phase : list) {
      if (phase.level == Level::kLanes) lanes = whole.node_ranks;
      phases[count++] = phase;
    }
  }
  [[nodiscard]] std::span<const LevelPhase> all() const noexcept { return std::span(phases).first(count); }
};

// The phases of a call in levels: an operation on so many bytes, as Shape::bytes has it for that operation.
[[nodiscard]] LevelPhase on_node(const Shape& whole, Operation operation, std::int64_t bytes) noexcept;
[[nodiscard]] LevelPhase between_nodes(const Shape& whole, Operation operation, std::int64_t bytes) noexcept;
[[nodiscard]] LevelPhase in_lanes(const Shape& whole, Operation operation, std::int64_t bytes) noexcept;

/// As the ranks of a phase see the machine, which the whole call sees like this.
[[nodiscard]] Machine machine_of(const LevelPhase& phase, const Machine& whole, const LevelPhases& phases) noexcept;

/// As the ranks of one of several lanes that are under way at once see it. whole: the machine of all nodes; ranks: of a
/// lane.
[[nodiscard]] Machine of_lane(const Machine& whole, std::int32_t lanes, std::int32_t ranks) noexcept;

[[nodiscard]] double cost_of(const LevelPhases& phases, const Machine& whole) noexcept;

/// The cost line of an algorithm with these phases.
template <LevelPhases (*kPhases)(const Shape&)>
double levels_cost(const Shape& shape, const Machine& machine) {
  return cost_of(kPhases(shape), machine);
}

}  // namespace starling::collective
