// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Aggregators: which ranks of a file read and write for all, so that each node takes its share.
// Every rank computes the same. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "memory/placement.hpp"

namespace starling::io {

/// The ranks of a file on one node, ascending.
struct NodeRanks {
  std::vector<std::int32_t> ranks;
  std::int32_t cores = 1;
};

/// In the order of their first ranks.
[[nodiscard]] std::vector<NodeRanks> nodes_of(const comm::Communicator& comm, const memory::Placement& placement);

/// wished: how many; 0: one on each core, and one on each node at least. They come in the order of the parts of the
/// file that they move: those of one node have neighbouring parts.
[[nodiscard]] std::vector<std::int32_t> choose_aggregators(const std::vector<NodeRanks>& nodes, std::int32_t wished);

}  // namespace starling::io
