// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Links: the elements that an element talked with since the last balancing step of its array, how often and how much.
// The element keeps them and takes them along. Visits: what this process sent to elements of an array from outside of
// that array: by elements of others, and by main.
//
// Of more partners than there is room for, those stay that get the most messages: a message to one more takes a message
// off each of the others instead. So a count is never too high, and too low by a kMost-th of all messages at most;
// where everybody talks with everybody, and no placement is better than another, next to nothing is left.
//
// **Thread safety**: none. **Invariants**: kMost partners at most, each with at least one message. Source: J. Misra, D.
// Gries, Finding repeated elements, Science of Computer Programming 1982.
#pragma once

#include <cstdint>
#include <starling/array/archive.hpp>
#include <starling/array/index.hpp>
#include <unordered_map>
#include <vector>

namespace starling::array::detail {

/// What went to one element, and came back.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  void add(std::size_t more) {
    ++messages;
    bytes += more;
  }
  /// Takes a message off; whether none is left.
  bool lessen() {
    bytes -= bytes / messages;
    return --messages == 0;
  }
};

class Links {
 public:
  static constexpr std::size_t kMost = 32;
  struct Link {
    std::uint16_t array = 0;
    Index to;
    Traffic traffic;
  };

  void count(std::uint16_t array, const Index& to, std::size_t bytes);
  const std::vector<Link>& all() const { return links_; }
  void clear() { links_ = {}; }
  void serialize(Archive& archive);

 private:
  Link* find(std::uint16_t array, const Index& to);

  std::vector<Link> links_;
  std::size_t next_ = 0;
};

class Visits {
 public:
  static constexpr std::size_t kMost = 65536;
  struct Hash {
    std::size_t operator()(const Index& index) const { return index.hash(); }
  };
  using Map = std::unordered_map<Index, Traffic, Hash>;

  void count(const Index& to, std::size_t bytes);
  const Map& all() const { return visits_; }
  void clear() { visits_ = {}; }

 private:
  Map visits_;
};

}  // namespace starling::array::detail
