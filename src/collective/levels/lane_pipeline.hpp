// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions in lanes of which the nodes' work and the messages between nodes go on at the same time: the vector is cut
// into a part for each node, and while one part is under way the next is combined on the node. The halves: a reduction
// that leaves each rank its share of its node's part, and a gather that makes such shares whole vectors again.
// Source: Traeff, "Decomposing Collectives for Exploiting Multi-lane Communication", CLUSTER 2020 (the lanes);
// Luo et al., "HAN: a Hierarchical AutotuNed Collective Communication Framework", CLUSTER 2020 (levels that overlap).
// Limits: as many ranks on each node; commutative operators.
// Thread safety: the holder of the world's lock. Invariants: the call has the levels (LevelTurn); every rank of a node
// goes through the parts in the same order; contributions of nodes are combined in the order of the steps, not of
// arrival, so the same call gives the same bits every time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "collective/choose/phases.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/levels/levels.hpp"

namespace starling::collective {

/// How a vector is cut, in elements: the shares of all ranks, node by node, one behind the other.
struct NodeShares {
  /// length_of(rank): of its share.
  template <typename LengthOf>
  NodeShares(const Levels& levels, LengthOf&& length_of) {
    std::int64_t end = 0;
    for (const std::int32_t rank : levels.by_node()) {
      lengths.push_back(length_of(rank));
      begins.push_back(end);
      end += lengths.back();
    }
    begins.push_back(end);
  }

  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> begins;  ///< and the end of all
};

/// result: this rank's share of what all vectors come to; it does not lie in the vector.
Task reduce_to_shares(Call& call, const Arguments& a, const NodeShares& shares, const void* vector, void* result);

/// Makes the vector whole, in which this rank's share lies at its place.
Task gather_shares(Call& call, const Arguments& a, const NodeShares& shares, void* vector);

/// The cost of such halves, each with its messages: as long as the slower of the two kinds of work, and a message or a
/// part of the other; more than both in turn where ranks share cores. halves: the operation of each on the node, on one
/// node's part.
[[nodiscard]] double lane_pipeline_cost(const Shape& shape, const Machine& machine, const LevelPhases& halves);

}  // namespace starling::collective
