// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeSpread: how the ranks of a communicator lie on nodes, as far as the choice of an algorithm depends on it. The
// same on every rank. Thread safety: a value.
#pragma once

#include <cstdint>

namespace starling::collective {

/// How a call may go in levels: bits.
using LevelFacts = std::uint8_t;
inline constexpr LevelFacts kOneLevel = 0;
inline constexpr LevelFacts kTwoLevels = 1;    ///< there are several nodes, one of them has several ranks, and it may
inline constexpr LevelFacts kInNodeOrder = 2;  ///< the ranks of each node follow each other
inline constexpr LevelFacts kEvenNodes = 4;    ///< all nodes have as many ranks

struct NodeSpread {
  std::int32_t nodes = 0;       ///< 0: one node, or it is not known
  std::int32_t node_ranks = 0;  ///< of the node that has the most
  LevelFacts levels = kOneLevel;
};

}  // namespace starling::collective
