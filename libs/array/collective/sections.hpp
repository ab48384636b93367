// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sections of one array: subsets with trees of their own, over those processes only that had members when the section
// was made.
//
// The process where a member was then manages it for good: it passes broadcasts on to it, by an ordinary message if it
// has moved, and counts its contributions. So each member has one place in the tree, and once is once, wherever it
// moves. Broadcasts are numbered by the root and are a stream (extras.hpp) for each member. A manager reports the n-th
// reduction when all its members have contributed to it that were not deleted before; a process without living members
// tells its parent from which number on nothing comes.
//
// **Thread safety**: none. **Invariants**: members join before the first broadcast leaves the root, and never later.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "accumulator.hpp"
#include "element/router.hpp"
#include "element/streams.hpp"
#include "wire/tree.hpp"

namespace starling::array::detail {

class Sections {
 public:
  Sections(Elements& elements, Router& router, Streams& streams, Host& host)
      : elements_(elements), router_(router), streams_(streams), host_(host) {}

  SectionName make(const std::vector<Index>& members);
  void broadcast(const SectionName& name, std::uint32_t method, const char* bytes, std::size_t size);
  void contribute(Entry& entry, const SectionName& name, std::uint32_t reducer, const void* value, const Callback& to);
  void handle(const Record& record);
  /// An element here becomes a member.
  void join(Entry& entry, const SectionName& name);
  /// The same of an element that was deleted, with the bytes of the section's name.
  void refuse(const char* name);
  /// An element here is deleted.
  void tell_deleted(const Entry& entry);

  /// Reductions that are not complete here, for longer than this; the wait begins anew.
  std::string overdue(double now_s, double patience_s);
  bool is_waiting() const;

 private:
  enum class Step : std::uint8_t {
    kJoined,      // to the root: an element is a member, or was deleted
    kTree,        // down: the processes of the tree
    kAsk,         // to the root: a broadcast to be
    kTake,        // down: a broadcast
    kContribute,  // to a manager: a contribution of a member
    kReport,      // up: a reduction is complete below
    kDeleted,     // to a manager: a member is deleted
    kGone,        // up: no member lives below
    kNudge,       // down: a reduction has begun
  };
  static constexpr std::size_t kSteps = 9;
  static constexpr std::uint32_t kNever = 0xffffffff;

  /// A reduction that is not complete.
  struct Open {
    Accumulator value;
    Callback to;
    std::size_t count = 0;
    std::uint8_t reports = 0;
  };
  struct Ask {
    std::uint32_t method;
    std::vector<char> bytes;
  };
  /// One process's part of a section.
  struct Share {
    std::int32_t root = 0;
    std::vector<Index> members;  // that this process manages
    std::size_t joined = 0;
    std::vector<std::uint32_t> deleted_from;  // of members that were deleted: the first reduction that they miss
    std::vector<std::int32_t> processes;      // of the tree, the root first; empty until it is known
    Tree tree{0, 0, 1};
    std::deque<Open> open;  // from reported + 1 on
    std::uint32_t reported = 0;
    std::uint32_t gone_from[Tree::kUsual] = {kNever, kNever, kNever, kNever};  // of children
    bool told_gone = false;
    double waiting_since_s = 0;
    // At the root.
    std::size_t answers = 0;
    std::size_t wanted = kNever;
    std::set<std::int32_t> others;
    std::vector<Ask> asks;  // before the tree was known
    std::uint32_t last = 0;

    int rank_of_child(int which) const { return processes[static_cast<std::size_t>(tree.child(which))]; }
    /// Which child a process is.
    int child_of_rank(std::int32_t rank) const;
  };
  /// A record about a section that is known here.
  struct Received {
    std::uint64_t key;
    const Record& record;
    const char* bytes;
    std::size_t size;
  };
  using Handler = void (Sections::*)(Share&, const Received&);
  static const Handler kHandlers[kSteps];

  char* post(int to, Step step, std::uint64_t key, std::uint32_t number, std::uint32_t method, std::size_t size,
             const Index& index = {});
  void handle_joined(Share& share, const Received& received);
  void handle_tree(Share& share, const Received& received);
  void handle_ask(Share& share, const Received& received);
  void handle_broadcast(Share& share, const Received& received);
  void handle_contribution(Share& share, const Received& received);
  void handle_report(Share& share, const Received& received);
  void handle_deleted(Share& share, const Received& received);
  void handle_gone(Share& share, const Received& received);
  void handle_nudge(Share& share, const Received& received);
  void complete(std::uint64_t key, Share& share);
  void plant(std::uint64_t key, Share& share);
  void take(std::uint64_t key, Share& share, std::uint32_t number, std::uint32_t method, const char* bytes,
            std::size_t size);
  Open& open(Share& share, std::uint32_t number);
  void send_value(int to, Step step, std::uint64_t key, std::uint32_t number, const Open& open);
  void merge(Share& share, const Received& received);
  void add(Share& share, std::uint32_t number, std::uint32_t reducer, const void* value, const Callback& to,
           const std::string& contributor);
  void complain(const Share& share, const std::string& contributor);
  void try_report(std::uint64_t key, Share& share);
  void try_to_go(std::uint64_t key, Share& share);
  void nudge(std::uint64_t key, const Share& share);
  std::string missing(std::uint64_t key, const Share& share) const;
  static std::size_t expected(const Share& share, std::uint32_t number);
  static std::uint8_t reporters(const Share& share, std::uint32_t number);

  Elements& elements_;
  Router& router_;
  Streams& streams_;
  Host& host_;
  std::map<std::uint64_t, Share> shares_;
};

}  // namespace starling::array::detail
