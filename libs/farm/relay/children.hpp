// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Children: the processes directly below this one, what each was given, and the end of the run as they are told it. A
// child holds a task from when it was given until its result comes.
//
// Thread safety: the relay's thread.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "poison/slate.hpp"
#include "task/task.hpp"
#include "task/window.hpp"
#include "wire/neighbors.hpp"

namespace starling::farm {

/// What a child was given, to be given to somebody else should it die.
struct HeldTask {
  Slice in;
  std::uint64_t order;  ///< Counted up for each task that is given out.
  std::uint16_t failures;
  Clock::time_point since;
  bool away = false;
};
using HeldTasks = std::unordered_map<std::uint64_t, HeldTask>;

struct Child {
  std::uint64_t threads = 0;
  bool joined = false;
  bool stopped = false;
  bool further = false;      ///< It has a nearer parent, and works for this one when that has died.
  bool excused = false;      ///< A spare is nearer to it now, and it may know that and never come here.
  bool owes_claims = false;  ///< That parent has died, and it will say what it still has of its tasks.
  std::vector<std::uint64_t>
      claims;                  ///< What it still has of another parent's tasks, of whose death this one has not heard.
  int lost_parent = -1;        ///< Of an orphan that has not joined, or owes claims: the parent that died.
  bool tries_suspect = false;  ///< What it holds, if anything, is one suspect.
  Window window{2};
  OtherSlate slate;
  HeldTasks held;
  std::size_t fetching = 0;  ///< Tasks whose data are on their way to this process, which then gives them to the child.

  std::size_t load() const { return held.size() + fetching; }
  bool is_apart() const { return tries_suspect && load() > 0; }
  bool calculates() const { return joined && threads > 0; }
};

class Children {
 public:
  explicit Children(Neighbors& neighbors) : neighbors_(neighbors) {}

  /// From now on messages from it are expected.
  Child& add(int rank);
  Child* find(int rank);
  using Removed = std::map<int, Child>::node_type;
  /// The child has gone. Empty if it was none.
  Removed remove(int rank);
  auto begin() { return children_.begin(); }
  auto end() { return children_.end(); }

  std::uint64_t threads() const;  ///< Calculate threads of all below.
  bool all_joined() const;        ///< But for those that may never come.
  bool hold(std::uint64_t number) const;

  /// One child may be kept free of all tasks but suspects; -1: none is.
  void reserve(int rank) { reserved_ = rank; }
  int reserved() const { return reserved_; }
  /// Whether other tasks may be given to it.
  bool is_open(int rank, const Child& child) const { return rank != reserved_ && !child.is_apart(); }

  /// The run has ended: tells all that have joined. Those that join later are told by stop(rank, child).
  void stop(RunEnd end, bool after_deaths);
  void stop(int rank, Child& child);
  void send_stop(int rank);
  bool stopping() const { return stopping_; }
  /// Nobody who is here, or has to come, is left.
  bool all_gone() const;
  /// Does not wait any more for those that may never come.
  void forget_excused();
  RunEnd run_end() const { return run_end_; }
  /// Whether the server knew of a death when it ended the run.
  bool after_deaths() const { return after_deaths_; }

 private:
  Neighbors& neighbors_;
  std::map<int, Child> children_;
  int reserved_ = -1;
  bool stopping_ = false;
  bool after_deaths_ = false;
  RunEnd run_end_ = RunEnd::kComplete;
};

}  // namespace starling::farm
