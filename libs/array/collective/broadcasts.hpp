// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts of one array: each element gets each exactly once, however it moves.
//
// One process numbers them and sends them down a tree. Each element carries the number of the last that it has had;
// each process keeps past ones for elements that were on their way meanwhile. An element that is created takes over the
// number of the element that created it, or of the process. A past one is dropped once no element anywhere can have a
// lower number: processes say now and then how low theirs, and those that they sent away and that have not landed, may
// be. They say it to their parents in the tree, each for all below it, so a broadcast costs the root as much as it has
// children, and log p hops, however many processes there are.
//
// **Thread safety**: none. **Invariants**: numbers arrive in order; an element here has had all that came here, except
// while they are being delivered, or it lacks the mark of a collection. Source: O. Lawlor, L. Kalé, Supporting Dynamic
// Parallel Object Arrays, ISCOPE 2001, section 5.1.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "element/elements.hpp"
#include "element/host.hpp"
#include "wire/tree.hpp"

namespace starling::array::detail {

class Broadcasts {
 public:
  Broadcasts(Elements& elements, Host& host, Tree tree);

  void start(std::uint32_t method, const char* bytes, std::size_t size);
  void handle_ask(const Record& record);
  void handle(const Record& record);
  void handle_low(const Record& record);
  /// Brings an element up to date, unless a collection may delete it.
  void catch_up(Entry& entry);
  /// Elements here may lag behind while a collection goes on.
  void keep_from_now_on() { kept_from_ = last_; }
  void keep_no_longer() { kept_from_.reset(); }

  /// The last that came here.
  std::uint32_t last() const { return last_; }
  /// So many elements with this number left, or were created elsewhere; they landed.
  void departed(std::uint32_t number) { ++under_way_[number]; }
  void landed(std::uint32_t number, std::uint32_t count);
  std::size_t kept() const { return past_.size(); }

 private:
  struct Past {
    std::uint32_t method;
    std::vector<char> bytes;
  };
  static constexpr std::uint32_t kBetweenReports = 32;

  void take(std::uint32_t number, std::uint32_t method, std::uint32_t lowest, const char* bytes, std::size_t size);
  void report();
  /// How low a number that comes from here, or from below, may still be.
  std::uint32_t low() const;
  void drop_up_to(std::uint32_t number);

  Elements& elements_;
  Host& host_;
  Tree tree_;
  std::deque<Past> past_;  // of numbers last_ - past_.size() + 1 to last_
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, std::uint32_t> under_way_;
  std::optional<std::uint32_t> kept_from_;
  std::vector<std::uint32_t> lows_;  // of each child, for all below it
  std::uint32_t told_ = 0;           // to the parent, or at the root to all: when elements here had all that came
};

}  // namespace starling::array::detail
