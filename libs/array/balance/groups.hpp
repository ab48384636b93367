// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Groups: how a balancing step is decided by many processes, none of which knows more than its own group. Neighbours
// are a group, whose first process leads; as many leaders are a group as well, and so on up to process 0. Upwards go
// sums of load. Downwards each leader tells the parts of its group what to give away, to which processes, and what will
// come; the leaders at the bottom, who know the elements of their group, choose those that go.
//
// **Thread safety**: pure functions. **Invariants**: what parts are told to give is what their leader was told to give
// and what other parts of it lack. A leader reads no more than a group has elements, or as many sums as it has parts,
// and a line for each part of each group above it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strategy.hpp"

namespace starling::array::balancing {

/// Who leads whom. A leader of level 1 leads processes, one of a level above it leaders of the level below, itself
/// among them.
struct GroupTree {
  int processes = 1;
  int size = 16;  // of a group, 2 or more

  /// The level at which process 0 leads all.
  int top() const {
    int level = 1;
    while (span(level) < processes) ++level;
    return level;
  }
  /// The processes below a leader of that level, where there are as many.
  std::int64_t span(int level) const {
    std::int64_t span = 1;
    for (int i = 0; i < level; ++i) span *= size;
    return span;
  }
  int leader(int process, int level) const { return static_cast<int>(process - process % span(level)); }
  int members(int leader, int level) const {
    return static_cast<int>(std::min<std::int64_t>(span(level), processes - leader));
  }
  int parts(int leader, int level) const {
    const std::int64_t below = span(level - 1);
    return static_cast<int>((members(leader, level) + below - 1) / below);
  }
  int part(int leader, int level, int i) const { return static_cast<int>(leader + i * span(level - 1)); }
};

/// Load for the processes from first on, in equal parts.
struct Outflow {
  std::int32_t first = 0;
  std::int32_t count = 0;
  double load = 0;
};

/// What a leader is told.
struct Task {
  double incoming = 0;            // load that will come to each of its processes
  std::vector<Outflow> outgoing;  // to give away
};

/// Of a group.
struct Part {
  std::int32_t first = 0;
  std::int32_t count = 0;  // processes
  double load = 0;
};

/// What each part is to do. Parts that are loaded no more than is tolerated give nothing, unless their leader must.
std::vector<Task> share_out(const Task& task, const std::vector<Part>& parts, double tolerated);
/// Of a group whose processes are numbered from 0 on, and are those from `first` on: its moves, to any processes.
Moves carry_out(const Task& task, const Problem& group, int first);

}  // namespace starling::array::balancing
