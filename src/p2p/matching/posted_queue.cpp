// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matching/posted_queue.hpp"

#include <utility>

namespace starling::p2p {

void PostedQueue::grow() {
  std::vector<Chain> old = std::exchange(buckets_, std::vector<Chain>(buckets_.size() * 4));
  shift_ -= 2;
  // Chain by chain and front to back: receives with equal envelopes were in one chain and stay in order.
  for (const Chain& chain : old) {
    for (PostedEntry* receive = chain.first; receive;) {
      PostedEntry* next = receive->next;
      append(buckets_[bucket(receive->pattern)], *receive);
      receive = next;
    }
  }
}

const PostedEntry* PostedQueue::first_in(std::uint32_t context_id) const noexcept {
  const PostedEntry* first = nullptr;
  const auto look = [&](const Chain& chain) {
    for (const PostedEntry* receive = chain.first; receive; receive = receive->next) {
      if (receive->pattern.context_id == context_id && (!first || receive->stamp < first->stamp)) first = receive;
    }
  };
  for (const Chain& chain : buckets_) look(chain);
  look(wild_);
  return first;
}

}  // namespace starling::p2p
