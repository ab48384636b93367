// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tree: the processes as a tree with up to `branches` children each, for broadcasts, reductions and the search for
// quiescence. With few branches a broadcast takes more hops, with many the root is busy for longer.
//
// **Thread safety**: as a value. **Invariants**: each process but the root is the child of one parent; kLeast to kMost
// branches. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, section 6.1.
#pragma once

namespace starling::array::detail {

struct Tree {
  static constexpr int kLeast = 2;
  static constexpr int kMost = 16;
  static constexpr int kUsual = 4;
  int root;
  int rank;
  int size;
  int branches = kUsual;

  int parent() const { return absolute((relative() - 1) / branches); }
  int children() const {
    const int left = size - 1 - relative() * branches;
    return left < 0 ? 0 : left < branches ? left : branches;
  }
  int child(int which) const { return absolute(relative() * branches + 1 + which); }
  /// Which of its parent's children it is.
  int place_at_parent(int of_rank) const { return ((of_rank - root + size) % size - 1) % branches; }
  bool is_root() const { return rank == root; }

 private:
  int relative() const { return (rank - root + size) % size; }
  int absolute(int relative) const { return (relative + root) % size; }
};

}  // namespace starling::array::detail
