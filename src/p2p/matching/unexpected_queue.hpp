// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// UnexpectedQueue: messages that arrived before a receive for them, in order of arrival.
//
// While few wait, one list is searched. When many wait, a search builds an index over it for its shape of pattern
// (source and tag, any tag, any source, any of both) and every later search of that shape ends at the first entry of
// one chain: a hundred thousand waiting messages are matched as fast as ten. The indexes go when the queue is empty
// again. Thread safety: the world's lock. Source: MPI-5.0, 3.5 (order).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "p2p/matching/envelope.hpp"

namespace starling::p2p {

/// What a waiting message derives from. The queue owns the links, the message belongs to its maker.
struct UnexpectedEntry {
  static constexpr int kShapes = 4;
  struct Link {
    UnexpectedEntry* next = nullptr;
    UnexpectedEntry* prev = nullptr;
  };

  Envelope envelope;
  Link order;                         ///< all messages, by arrival
  std::array<Link, kShapes> indexed;  ///< chains of the indexes
};

class UnexpectedQueue {
 public:
  void insert(UnexpectedEntry& message);

  /// The earliest message that the pattern takes, or null. It stays queued.
  [[nodiscard]] UnexpectedEntry* find(const Envelope& pattern);

  void remove(UnexpectedEntry& message);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::int64_t size() const noexcept { return count_; }
  [[nodiscard]] UnexpectedEntry* front() const noexcept { return all_.first; }

 private:
  /// Above this length a linear search costs more than the indexes do.
  static constexpr std::int64_t kIndexAbove = 32;

  struct Chain {
    UnexpectedEntry* first = nullptr;
    UnexpectedEntry* last = nullptr;
  };

  static Envelope shaped(const Envelope& envelope, int shape) noexcept {
    return {envelope.context_id, (shape & 1) ? kAnySource : envelope.source, (shape & 2) ? kAnyTag : envelope.tag};
  }
  static int shape_of(const Envelope& pattern) noexcept {
    return (pattern.source == kAnySource ? 1 : 0) | (pattern.tag == kAnyTag ? 2 : 0);
  }
  void index(UnexpectedEntry& message, int shape);
  void build_index(int shape);

  Chain all_;
  std::int64_t count_ = 0;
  std::array<bool, UnexpectedEntry::kShapes> indexed_{};
  std::array<std::unordered_map<std::uint64_t, Chain>, UnexpectedEntry::kShapes> chains_;
};

}  // namespace starling::p2p
