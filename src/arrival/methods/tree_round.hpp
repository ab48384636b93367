// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One round of the segment tree method, compiled for several instruction sets: no allocation, raw arrays only, so that
// no code of a wider set can leak into a shared template.
//
// Layout: the tree of `leaves` (a power of two) leaves lies in one array, root at 1, children of i at 2i and 2i + 1.
// Each node is a bit vector over the segments, the logical sum of its children. A leaf is the column of a process that
// is free to send, and zero otherwise; `states` keeps the column of each process meanwhile. Source: the paper's
// section 5.4 (schedule.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

struct TreeRound {
  int words;              ///< of 64 segments in each node
  int leaves;             ///< of the tree
  std::uint64_t* tree;    ///< 2 * leaves nodes
  std::uint64_t* states;  ///< a column for each process
  const int* leaf_of;     ///< for each process that takes part
  const int* process_at;  ///< for each leaf
  int* received;          ///< for each process: the segment received in this round (P'), or -1
  int* held;              ///< for each process: how many segments it still holds
  const int* members;     ///< in order
  int member_count;
  int sink;
  int silent;       ///< a process that never sends, or -1
  Transfer* found;  ///< room for member_count
  int* changed;     ///< room for 2 * member_count: the leaves to renew when the round ends
};

struct TreeKernels {
  const char* instruction_set;
  /// Finds the transfers of the round and then ends it; returns how many there are.
  int (*round)(TreeRound& round);
  /// Makes these leaves what their processes hold, and renews the sums above.
  void (*renew)(TreeRound& round, const int* leaves, int count);
};
/// Those that this machine can run, the widest last.
std::span<const TreeKernels* const> tree_kernels();

}  // namespace starling::arrival
