// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbors: the ranks with which a rank exchanges in a neighbourhood collective: the edges of its communicator's
// topology that come in and go out, in the order of the blocks in its buffers. A rank may stand in a list several
// times. Thread safety: a value. Source: MPI-5.0, 8.6.
#pragma once

#include <cstdint>
#include <vector>

namespace starling::comm {

struct Neighbors {
  /// At the open edge of a grid: no message, the block is left alone.
  static constexpr std::int32_t kNobody = -3;  // MPI_PROC_NULL

  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> destinations;
  /// The lists are the two directions of each dimension of a grid: what leaves in one direction arrives as coming from
  /// the opposite one, also where both neighbours are the same rank.
  bool grid = false;

  /// Messages of one rank to another match in the order of the sender's destinations; this is the i-th place in
  /// sources in the order in which they are to be received.
  [[nodiscard]] std::size_t receive_order(std::size_t i) const noexcept { return grid ? i ^ 1U : i; }
};

}  // namespace starling::comm
