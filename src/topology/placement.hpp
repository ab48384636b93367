// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which process takes which place of a virtual topology, so that places that talk are near each other in the machine.
//
// Processes are sorted by node, package, NUMA node and L3 cache; each cache's share of places is grown along the edges
// from the place that is tied most to those already given away. The outcome is taken only where fewer edges leave a
// cache, a NUMA node, a package or a node than without any reordering. Thread safety: pure functions; every rank that
// gives the same input gets the same answer. Source: T. Hoefler, M. Snir, "Generic topology mapping strategies for
// large-scale parallel architectures" (greedy).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/locality.hpp"

namespace starling::topology {

/// Two places that exchange messages.
struct Edge {
  std::int32_t a;
  std::int32_t b;
  std::int32_t weight = 1;
};

/// For each process its place: a permutation of 0..processes-1, the identity where nothing is gained.
[[nodiscard]] std::vector<std::int32_t> place_processes(std::span<const Locality> processes,
                                                        std::span<const Edge> edges);

/// What the edges cost when process p has place places[p]: their weights times the boundaries that they cross; between
/// nodes an edge crosses one more than there are inside one.
[[nodiscard]] std::int64_t cost(std::span<const Locality> processes, std::span<const std::int32_t> places,
                                std::span<const Edge> edges);

}  // namespace starling::topology
