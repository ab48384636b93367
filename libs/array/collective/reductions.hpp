// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions of one array: the n-th contributions of all elements make the n-th result, however elements come, go and
// move.
//
// Each process combines what its elements contribute and reports up a tree once all that are here have; the report
// carries how many contributed and the net births since the one before. What comes after the report, from an element
// that was on its way, goes straight to the root. The root has the result when everybody has reported and as many have
// contributed as live. Births are counted with the contribution of the element that created, so none can be missed
// while it travels. A newborn may be faster than its creator, and stand in for it in the count. So each birth has a
// random name: the creator's contribution adds it, the newborn's first takes it away, and the sum must be 0 as well.
// (Wrong sums would be 0 once in 2^64.)
//
// An element takes part from the reduction on that its creator contributes to next; one that main creates, from the
// first that its process has not reported.
//
// **Thread safety**: none. **Invariants**: reports and results are in order; a process reports once for each reduction.
// Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, section 5.2.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "accumulator.hpp"
#include "element/elements.hpp"
#include "element/host.hpp"
#include "wire/tree.hpp"

namespace starling::array::detail {

class Reductions {
 public:
  Reductions(Elements& elements, Host& host, Tree tree);

  void contribute(Entry& entry, std::uint32_t reducer, const void* value, const Callback& to);
  /// An element with its number came to this process or left it.
  void joined(const Entry& entry);
  void parted(const Entry& entry);
  /// An element that will contribute from this number on was created by main, or by an element of another array.
  void born(std::uint32_t number) { change(number, 1, 0); }
  /// An element that would contribute to this number next is gone, with the births that it did not report.
  void died(std::uint32_t number, std::int32_t births, std::uint64_t names) { change(number, births - 1, names); }
  /// The first that this process has not reported.
  std::uint32_t next() const { return reported_ + 1; }
  void handle_report(const Record& record);
  void handle_late(const Record& record);
  void handle_nudge(const Record& record);
  void handle_empty(const Record& record);

  /// Whether some here or below contributed to one that is not complete; since when, and which elements here did not.
  bool is_waiting() const;
  double waiting_since_s() const { return waiting_since_s_; }
  /// It took too long: processes below that have not reported look, too; the wait begins anew.
  void ask_around(double now_s);
  std::string missing(std::size_t most) const;

 private:
  /// A reduction that is not complete.
  struct Open {
    Accumulator value;
    Callback to;
    std::int64_t count = 0;
    std::int64_t births = 0;    // net, effective from this one on
    std::uint64_t names = 0;    // of births that were counted, less those of newborns that were heard of
    std::uint16_t reports = 0;  // of children, one bit each
    bool is_started = false;
  };
  struct Contribution {  // what a report or a late contribution carries, before callback and value
    std::int64_t count;
    std::int64_t births;
    std::uint64_t names;
    std::uint32_t number;
    std::uint32_t reducer;
    std::uint32_t is_empty;  // the process has no elements
    std::uint32_t spare;
  };

  Open& open(std::uint32_t number);
  void start(std::uint32_t number);
  void nudge(int child);
  void change(std::uint32_t number, std::int64_t births, std::uint64_t names);
  void try_report();
  void report(Open& done);
  void send(int to, RecordKind kind, const Contribution& more, const Open& of);
  void merge(Open& into, const Contribution& more, Archive& in);
  void check_operator(const Open& of, std::uint32_t reducer, const char* contributor);
  void complete();
  void tell_if_empty();
  std::uint32_t& count_at(std::uint32_t number);

  Elements& elements_;
  Host& host_;
  Tree tree_;
  static_assert(Tree::kMost <= 16, "each child has a bit in 16");
  std::uint32_t reported_ = 0;
  std::uint32_t started_ = 0;         // the highest that somebody has contributed to
  std::deque<Open> open_;             // from reported_ + 1 on
  std::deque<std::uint32_t> next_;    // elements here by their next number, from reported_ + 1 on
  std::uint32_t late_ = 0;            // elements here whose next number is reported
  std::uint16_t empty_children_ = 0;  // those that must be told of a reduction
  bool told_empty_ = true;
  std::size_t count_ = 0;  // elements here
  // At the root: what everybody has reported and some elements have not contributed to.
  std::deque<Open> unfinished_;
  std::uint32_t completed_ = 0;
  std::int64_t living_ = 0;
  double waiting_since_s_ = 0;
};

}  // namespace starling::array::detail
