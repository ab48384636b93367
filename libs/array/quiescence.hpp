// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Quiescence: finds out when no record is under way and no process has anything to do.
//
// Process 0 asks all in a wave; each answers when it is idle, with the records that it has sent and handled so far. If
// two waves in a row bring the same sums, as many handled as sent, then nothing was under way between them.
//
// **Thread safety**: none. **Invariants**: one wave at a time; its own records are not counted.
// Source: F. Mattern, Algorithms for Distributed Termination Detection, Distributed Computing 2, 1987: the four
// counters.
#pragma once

#include <cstdint>

#include "tree.hpp"

namespace starling::array::detail {

class Core;
struct Record;

class Quiescence {
 public:
  Quiescence(Core& core, Tree tree) : core_(core), tree_(tree) {}

  /// Process 0: begins to look.
  void begin();
  /// Process 0: nothing was left to do when the last wave came back.
  bool found() const { return found_; }
  bool is_searching() const { return searching_; }

  void asked();
  void told(const Record& record);
  /// Called whenever this process is idle. Whether it answered.
  bool idle();

 private:
  struct Sums {
    std::uint64_t sent = 0;
    std::uint64_t handled = 0;
    bool operator==(const Sums&) const = default;
  };
  void conclude();

  Core& core_;
  Tree tree_;
  bool searching_ = false;
  bool found_ = false;
  bool is_asked_ = false;
  int answers_ = 0;
  Sums sums_;      // of the children, in this wave
  Sums previous_;  // of all, in the wave before
  bool has_previous_ = false;
};

}  // namespace starling::array::detail
