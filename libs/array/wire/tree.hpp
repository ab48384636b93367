// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tree: the processes as a tree with four children each, for broadcasts, reductions and the search for quiescence.
//
// **Thread safety**: as a value. **Invariants**: each process but the root is the child of one parent.
#pragma once

namespace starling::array::detail {

struct Tree {
  static constexpr int kBranches = 4;
  int root;
  int rank;
  int size;

  int parent() const { return absolute((relative() - 1) / kBranches); }
  int children() const {
    const int left = size - 1 - relative() * kBranches;
    return left < 0 ? 0 : left < kBranches ? left : kBranches;
  }
  int child(int which) const { return absolute(relative() * kBranches + 1 + which); }
  /// Which of its parent's children it is.
  int place_at_parent(int of_rank) const { return ((of_rank - root + size) % size - 1) % kBranches; }
  bool is_root() const { return rank == root; }

 private:
  int relative() const { return (rank - root + size) % size; }
  int absolute(int relative) const { return (relative + root) % size; }
};

}  // namespace starling::array::detail
