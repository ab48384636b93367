// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PostedQueue: receives that wait for their message, found in the order MPI demands: the earliest posted receive that
// takes the message, wildcard or not.
//
// Receives without wildcards hang in buckets by envelope, receives with one in a list of their own; a stamp tells which
// of two candidates was posted first. The bucket table grows as it fills, so a match stays O(1) however many wait.
// Thread safety: the world's lock. Source: MPI-5.0, 3.5 (order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "p2p/matching/envelope.hpp"

namespace starling::p2p {

/// What a queued receive derives from. The queue owns the links, the receive itself belongs to its maker.
struct PostedEntry {
  Envelope pattern;
  std::uint64_t stamp = 0;
  PostedEntry* next = nullptr;
  PostedEntry* prev = nullptr;
  bool queued = false;
};

class PostedQueue {
 public:
  PostedQueue() : buckets_(kFirstBuckets) {}

  void post(PostedEntry& receive) {
    receive.stamp = ++stamps_;
    receive.queued = true;
    if (++count_ > 2 * buckets_.size()) grow();
    append(chain_of(receive.pattern), receive);
  }

  /// Takes out the earliest receive that takes the message; null when there is none.
  PostedEntry* match(const Envelope& message) {
    if (count_ == 0) return nullptr;
    Chain& chain = buckets_[bucket(message)];
    PostedEntry* exact = first_match(chain, message);
    PostedEntry* wild = first_match(wild_, message);
    if (wild && (!exact || wild->stamp < exact->stamp)) {
      remove_from(wild_, *wild);
      return wild;
    }
    if (exact) remove_from(chain, *exact);
    return exact;
  }

  /// The same, and leaves it where it is.
  [[nodiscard]] PostedEntry* find(const Envelope& message) const noexcept {
    PostedEntry* const exact = first_match(buckets_[bucket(message)], message);
    PostedEntry* const wild = first_match(wild_, message);
    return wild && (!exact || wild->stamp < exact->stamp) ? wild : exact;
  }

  void remove(PostedEntry& receive) noexcept { remove_from(chain_of(receive.pattern), receive); }

  /// The earliest receive of a context; null when there is none. Looks at all of them.
  [[nodiscard]] const PostedEntry* first_in(std::uint32_t context_id) const noexcept;

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(count_); }

 private:
  static constexpr std::size_t kFirstBuckets = 64;
  static constexpr int kFirstShift = 64 - 6;

  struct Chain {
    PostedEntry* first = nullptr;
    PostedEntry* last = nullptr;
  };

  /// The high bits of a sum of products, which depend on every part: this is on the way of every message.
  [[nodiscard]] std::size_t bucket(const Envelope& envelope) const noexcept {
    const std::uint64_t context_and_tag =
        std::uint64_t{envelope.context_id} << 32 | static_cast<std::uint32_t>(envelope.tag);
    return (context_and_tag * 0x9e3779b97f4a7c15 + static_cast<std::uint32_t>(envelope.source) * 0xbf58476d1ce4e5b9) >>
           shift_;
  }
  [[nodiscard]] Chain& chain_of(const Envelope& pattern) noexcept {
    return pattern.has_wildcard() ? wild_ : buckets_[bucket(pattern)];
  }
  static PostedEntry* first_match(const Chain& chain, const Envelope& message) noexcept {
    PostedEntry* receive = chain.first;
    while (receive && !receive->pattern.takes(message)) receive = receive->next;
    return receive;
  }
  static void append(Chain& chain, PostedEntry& receive) noexcept {
    receive.prev = chain.last;
    receive.next = nullptr;
    (chain.last ? chain.last->next : chain.first) = &receive;
    chain.last = &receive;
  }
  void remove_from(Chain& chain, PostedEntry& receive) noexcept {
    (receive.prev ? receive.prev->next : chain.first) = receive.next;
    (receive.next ? receive.next->prev : chain.last) = receive.prev;
    receive.queued = false;
    --count_;
  }
  void grow();

  std::vector<Chain> buckets_;
  int shift_ = kFirstShift;  ///< leaves as many bits as number the buckets
  Chain wild_;
  std::uint64_t stamps_ = 0;
  std::size_t count_ = 0;
};

}  // namespace starling::p2p
