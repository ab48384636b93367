// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Resize: a session that goes on with other processes. Some leave, which give up their elements; some stay, which keep
// theirs; some join, which have none yet.
//
// It happens between two runs, when nothing is under way. First those that leave are emptied, on the old communicator.
// Then all that numbers processes begins anew on the next one: the wire, the trees, the counts of broadcasts and
// reductions, epochs, caches. Elements stay objects in their places, and every home is told where its elements are.
// What a process that leaves knew of deleted elements, and messages that wait with it, go to one that stays.
//
// With survive(), those that leave stay, and what was kept of the time before is kept, until those that go on have been
// numbered anew and have a checkpoint of their own. Then one agreement of those that were in decides: all go on, or all
// that live go back to the last checkpoint, on the communicator that they had. One more, on the next communicator,
// tells those that join that all go on; that nobody does, its revocation tells.
//
// **Thread safety**: none. **Invariants**: all that were in decide alike: they go on with the next communicator, or the
// session is what it was, but for those that died. They go on only where all that do have come to the end, so where one
// has not made the communicator, or has failed before that end, it is certain that nobody will. A process that joins
// does so only if one that stays says so. Limit: where all that stay die between the two agreements, those that leave
// and those that join do not know of each other, and the session ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "element/host.hpp"
#include "runtime.hpp"
#include "survival.hpp"

namespace starling::array::detail {

class Resize {
 public:
  /// Of a process that joins: with the communicator of which it does.
  Resize(Host& host, Arrays& arrays, Runtime& runtime, Survival& survival, Communicator joins)
      : host_(host), arrays_(arrays), runtime_(runtime), survival_(survival), joins_(joins) {}

  /// A new process that does not take part yet.
  bool is_joining() const { return !joins_.is_null(); }
  /// Before a run: a process that joins does so now; throws on one that left.
  void take_part();
  /// All that are in, outside of run(); no processes where a process leaves.
  void resize(Communicator next);
  /// The same; a refusal, which is alike on all and changes nothing, is returned, not thrown.
  std::string change(Communicator next);
  /// All that are in, outside of run(): why nobody can join now; nothing where one can. Alike on all.
  std::string what_keeps_it();
  /// On a new process, once: whether those that stay have taken it in; as this one finds itself where MPI cannot agree.
  bool hear_whether_to_join(bool is_well);

 private:
  enum class Outcome : std::uint8_t { kOn, kRefused, kBack };
  struct Attempt {
    Communicator before;
    Communicator next;  // of the program; none where this process leaves
    Communicator after;
    bool has_moved;       // to `after`
    std::string refusal;  // alike on all
    std::string mishap;   // of this process

    bool stays() const { return !next.is_null(); }
  };

  void join();
  std::string prepare(Communicator next, Communicator& after);
  void must_be_those_that_stay(Communicator next, const std::vector<std::int32_t>& leave) const;
  void let_nobody_wait(const Attempt& attempt);
  Outcome agree(const Attempt& attempt);
  [[noreturn]] void go_back(const Attempt& attempt);
  std::string empty_those_that_leave(const std::vector<std::int32_t>& all, std::string trouble);
  std::string what_keeps_it(bool leaves);
  std::string arrays_differ(Communicator after) const;
  void number_anew(int rank_before);
  void share_state(Communicator comm, bool was_in);
  void leave();

  Host& host_;
  Arrays& arrays_;
  Runtime& runtime_;
  Survival& survival_;
  Communicator joins_;
  bool has_left_ = false;
};

}  // namespace starling::array::detail
