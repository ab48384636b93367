// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Regroup: a session that goes on with other processes. Some leave, which give up their elements; some stay, which keep
// theirs; some join, which have none yet.
//
// It happens between two runs, when nothing is under way. First those that leave are emptied, on the old communicator.
// Then all that numbers processes begins anew on the next one: the wire, the trees, the counts of broadcasts and
// reductions, epochs, caches. Elements stay objects in their places, and every home is told who is where. What a
// process that leaves knew of deleted elements, and messages that wait with it, go to one that stays.
//
// **Thread safety**: none. **Invariants**: either all processes go on with the next communicator, or all throw and the
// session is what it was. Where a process dies before all agreed to go on, and survive() was called, those that live
// throw and go on from the last checkpoint in memory, without the dead. Limit: one that dies after that ends the
// session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi_calls.hpp"

namespace starling::array::detail {

class Core;

class Regroup {
 public:
  Regroup(Core& core, mpi::Side side) : core_(core), joins_(side == mpi::Side::kNew) {}

  /// A new process that does not take part yet.
  bool is_joining() const { return joins_; }
  /// Throws on a process that left.
  void must_take_part() const;
  /// All that are in, outside of run(); no processes where a process leaves.
  void resize(Communicator next);
  /// The part of a new process in it.
  void join();

 private:
  std::string prepare(Communicator next, Communicator& after);
  static void give_up(Communicator next, Communicator after);
  std::string empty_those_that_leave(const std::vector<std::int32_t>& all, std::string trouble);
  std::string what_keeps_it(bool leaves);
  std::string agree(Communicator next, const std::string& trouble) const;
  void begin_again(int rank_before);
  void number_anew(int rank_before);
  void share_state(Communicator comm, bool was_in);
  void leave();

  Core& core_;
  bool joins_;
  bool has_left_ = false;
};

}  // namespace starling::array::detail
