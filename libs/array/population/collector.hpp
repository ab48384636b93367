// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collector: deletes the elements that nothing can reach, while the program goes on.
//
// A collection begins when nothing is under way: then every index is held by an element that says so (references.hpp),
// or by main. What cannot be reached at that moment can never be named again, so it may be deleted at any time; what is
// created later is kept. From then on marks go from element to element, each a message as all others, so it finds its
// element wherever it is or goes. An element that gets its first mark passes it on to those that it held at the
// beginning: it is asked for them before it runs for the first time since. Elements with a coroutine that waits are
// roots as well. An element without a mark takes no part in what concerns all of its array or section until it gets
// one: it may be one that is to be deleted, which must not hand on what it holds. Process 0 asks all how many marks
// they made and how many ended, until two rounds in a row bring the same, as many ended as made. Then each process
// deletes its elements without a mark, some at a time, of the classes that say what they hold. Others are not
// collected, and hold nothing.
//
// **Thread safety**: none. **Invariants**: quiescence is not found while a collection goes on, as one of its records is
// under way or a process has something to do for it; a mark moves with its element; marks of two processes are compared
// only through Marks::value of each.
// Sources: the mark and sweep collectors in D. Plainfosse, M. Shapiro, A Survey of Distributed Garbage Collection
// Techniques, IWMM 1995, section 5; T. Yuasa, Real-Time Garbage Collection on General-Purpose Machines, J. Systems and
// Software 11, 1990: what could be reached at the beginning is kept; F. Mattern, Algorithms for Distributed Termination
// Detection, Distributed Computing 2, 1987: the end of marking by four counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <starling/array/core.hpp>

#include "element/marks.hpp"

namespace starling::array::detail {

class ArrayCore;
class Arrays;
class Elements;
class Host;
struct Entry;
struct Record;

class Collector {
 public:
  Collector(Host& host, Arrays& arrays) : host_(host), arrays_(arrays) {}

  /// Process 0, from main: begins a collection, after one that is under way. `to` gets how many were deleted.
  void begin(const References& roots, const Callback& to);
  /// The same; waits for the end. Returns how many were deleted.
  std::size_t collect(const References& roots);

  /// Before an element here runs or ends: what it holds is what it held at the beginning.
  void before(Entry& entry);
  /// An element here got a mark.
  void reach(Entry& entry);
  void handle(const Record& record);

  /// This process has something to do for a collection.
  bool is_due() const { return is_asked_ || lags_ || phase() == Marks::Phase::kSweeps; }
  /// Does some of it; whether there was any. `is_busy`: there is other work as well.
  bool step(bool is_busy);

  /// The session's run with this number begins; an error may have ended the last one within a collection.
  void begin_run(std::uint32_t run);
  /// Nothing is under way: other processes, or other elements.
  void renew();

 private:
  enum class Step : std::uint8_t { kBegin, kAsk, kTell, kSweep, kSwept };
  struct Sums {
    std::uint64_t made = 0;
    std::uint64_t ended = 0;
    bool operator==(const Sums&) const = default;
  };
  Marks::Phase phase() const;
  void ask(Step step);
  void tell(Step step, const void* bytes, std::size_t size);
  void mark(const References& held);
  void mark(ArrayCore& array, const Index& index);
  void give_mark(Entry& entry);
  void next_wave();
  void told(const Sums& sums);
  void swept(std::uint64_t deleted);
  // At each process.
  void start();
  void answer();
  void mark_waiting();
  void sweep_some();
  bool sweep_some_of(Elements& elements, int& left);
  void let_all_take_part();
  template <class Visit>
  void each_array(Visit&& visit);

  Host& host_;
  Arrays& arrays_;
  std::uint32_t run_ = 0;
  bool is_asked_ = false;
  bool lags_ = false;  // elements here may have missed what concerns all, as a collection did not end
  int put_off_ = 0;    // steps, since it was asked
  bool has_marked_waiting_ = false;
  // Where the sweep is: elements at `position_` and after it are done.
  std::size_t array_ = 0;
  std::size_t position_ = 0;
  std::uint64_t deleted_here_ = 0;
  // At process 0.
  int answers_ = 0;
  bool has_previous_ = false;
  Sums sums_;      // of those that answered, in this wave
  Sums previous_;  // of all, in the wave before
  bool is_done_ = false;
  std::uint64_t deleted_ = 0;
  Callback to_;
};

}  // namespace starling::array::detail
