// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Quiescence: finds out when no record is under way and no process has anything to do.
//
// Process 0 asks all in a wave; each answers when it is idle, with the records that it has sent and handled so far. If
// two waves in a row bring the same sums, as many handled as sent, then nothing was under way between them. The last
// search of a run also counts the processes where something waits that will never come (run/pending_work.hpp). Elements
// may ask to be told of quiescence: they are, and the search goes on, since that is work anew.
//
// **Thread safety**: none. **Invariants**: one wave at a time; its own records are not counted.
// Source: F. Mattern, Algorithms for Distributed Termination Detection, Distributed Computing 2, 1987: the four
// counters.
#pragma once

#include <cstdint>
#include <functional>
#include <starling/array/core.hpp>
#include <utility>
#include <vector>

#include "element/host.hpp"
#include "wire/tree.hpp"

namespace starling::array::detail {

class Quiescence {
 public:
  enum class Search : std::uint8_t { kUsual, kLast };

  /// `has_pending`: whether something waits on this process for what will not come.
  Quiescence(Host& host, Tree tree, std::function<bool()> has_pending)
      : host_(host), tree_(tree), has_pending_(std::move(has_pending)) {}

  /// Process 0: begins to look.
  void begin(Search search = Search::kUsual);
  /// Process 0: nothing was left to do when the last wave came back.
  bool found() const { return found_; }
  bool is_searching() const { return searching_; }
  /// After the last search: on so many processes something waits for what will not come.
  std::uint64_t pending() const { return pending_; }

  /// Process 0: tells this place when nothing is left to do but to wait for that.
  void request(Callback to);
  /// Process 0: nobody waits any more.
  void forget_requests() { requests_.clear(); }

  void asked(Search search);
  void told(const Record& record);
  /// Called whenever this process is idle. Whether it answered.
  bool idle();

 private:
  struct Sums {
    std::uint64_t sent = 0;
    std::uint64_t handled = 0;
    std::uint64_t pending = 0;  // processes
    bool agrees(const Sums& other) const { return sent == other.sent && handled == other.handled; }
  };
  void next_wave();
  void conclude();
  void grant();

  Host& host_;
  Tree tree_;
  std::function<bool()> has_pending_;
  bool searching_ = false;
  bool is_wanted_ = false;  // by main, and not only by those that asked to be told
  bool found_ = false;
  Search search_ = Search::kUsual;
  Search wave_ = Search::kUsual;  // that is under way
  std::uint64_t pending_ = 0;
  std::vector<Callback> requests_;
  bool is_asked_ = false;
  int answers_ = 0;
  Sums sums_;      // of the children, in this wave
  Sums previous_;  // of all, in the wave before
  bool has_previous_ = false;
};

}  // namespace starling::array::detail
