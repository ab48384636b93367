// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matching/posted_queue.hpp"

#include <utility>

namespace starling::p2p {

void PostedQueue::grow() {
  std::vector<Chain> old = std::exchange(buckets_, std::vector<Chain>(buckets_.size() * 4));
  // Chain by chain and front to back: receives with equal envelopes were in one chain and stay in order.
  for (const Chain& chain : old) {
    for (Posted* receive = chain.first; receive;) {
      Posted* next = receive->next;
      append(buckets_[bucket(receive->pattern)], *receive);
      receive = next;
    }
  }
}

}  // namespace starling::p2p
