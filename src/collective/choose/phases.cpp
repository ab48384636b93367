// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/phases.hpp"

#include <algorithm>

#include "collective/node/shared_buffer_layout.hpp"

namespace starling::collective {
namespace {

Shape part_of(const Shape& whole, Operation operation, std::int64_t bytes) noexcept {
  Shape part = whole;
  part.operation = operation;
  part.bytes = bytes;
  part.levels = kOneLevel;
  part.in_place = false;
  part.root_stays = false;
  return part;
}

LevelPhase over_network(Level level, const Shape& whole, Operation operation, std::int64_t bytes) noexcept {
  LevelPhase phase{level, part_of(whole, operation, bytes)};
  phase.shape.ranks = whole.nodes;
  phase.shape.node_ranks = 1;
  return phase;
}

}  // namespace

const char* name(Level level) noexcept {
  switch (level) {
    case Level::kNode: return "on each node";
    case Level::kNodes: return "between nodes";
    case Level::kLanes: return "in lanes";
  }
  return "";
}

LevelPhase on_node(const Shape& whole, Operation operation, std::int64_t bytes) noexcept {
  LevelPhase phase{Level::kNode, part_of(whole, operation, bytes)};
  Shape& shape = phase.shape;
  shape.ranks = whole.node_ranks;
  shape.nodes = shape.node_ranks = 0;
  shape.distance = tuning::Distance::kNode;
  shape.has_buffer = shape.has_segments = shape.ranks > 1;
  shape.segment_bytes = static_cast<std::int64_t>(SharedBufferLayout::segment_bytes(shape.ranks));
  return phase;
}

LevelPhase between_nodes(const Shape& whole, Operation operation, std::int64_t bytes) noexcept {
  return over_network(Level::kNodes, whole, operation, bytes);
}

LevelPhase in_lanes(const Shape& whole, Operation operation, std::int64_t bytes) noexcept {
  return over_network(Level::kLanes, whole, operation, bytes);
}

Machine machine_of(const LevelPhase& phase, const Machine& whole, const LevelPhases& phases) noexcept {
  Machine seen = whole.with_own_links();
  if (phase.level == Level::kNodes) return seen;
  if (phase.level == Level::kNode) {
    seen = whole.at(phase.shape.distance);
    seen.cores = std::max(1, whole.cores / std::max(1, phases.nodes));
    return seen;
  }
  return of_lane(whole, phases.lanes, phase.shape.ranks);
}

Machine of_lane(const Machine& whole, std::int32_t lanes, std::int32_t ranks) noexcept {
  // The lanes share the cores, and what carries them: each byte takes as many times as long as there are lanes, be it
  // for the one or for the other.
  Machine seen = whole.with_own_links();
  seen.cores = std::max(1, whole.cores / lanes);
  const double sharing = lanes / seen.share(ranks);
  seen.byte_ns *= sharing;
  seen.long_byte_ns *= sharing;
  return seen;
}

double cost_of(const LevelPhases& phases, const Machine& whole) noexcept {
  double sum = 0;
  for (const LevelPhase& phase : phases.all()) {
    const Machine seen = machine_of(phase, whole, phases);
    sum += cheapest(phase.shape, seen).cost(phase.shape, seen);
  }
  return sum;
}

}  // namespace starling::collective
