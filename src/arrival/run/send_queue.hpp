// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SendQueue: which of a rank's sends is posted next: the earliest in the schedule whose segment is complete, so that
// what waits for a late process holds up nothing else.
//
// Thread safety: none; one owner.
// Invariants: a send is posted once. Where messages of a pair match in the order in which they are posted, those to one
// process keep their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace starling::arrival {

class SendQueue {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// `in_order`: whether messages of a pair match in the order in which they are posted.
  explicit SendQueue(bool in_order) : in_order_(in_order) {}

  /// The next send in the order of the schedule; its number.
  std::size_t add(std::size_t step, std::uint16_t peer) {
    const std::size_t number = sends_.size();
    sends_.push_back({step, kNone, SendState::kWaits, true});
    if (!in_order_) return number;
    if (peer >= last_to_.size()) last_to_.resize(peer + std::size_t{1}, kNone);
    if (last_to_[peer] != kNone) {
      sends_[last_to_[peer]].next_to_peer = number;
      sends_[number].first_to_peer = false;
    }
    last_to_[peer] = number;
    return number;
  }

  /// The segment of send `number` is complete.
  void ready(std::size_t number) {
    sends_[number].state = SendState::kReady;
    if (sends_[number].first_to_peer) push(number);
  }

  /// What is to be posted now, if anything: while `full` nothing but the earliest of all that have not been posted.
  bool next(bool full, std::size_t* step) {
    while (first_ < sends_.size() && sends_[first_].state == SendState::kPosted) ++first_;
    if (ready_.empty() || (full && ready_.front() != first_)) return false;
    const std::size_t number = ready_.front();
    std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    ready_.pop_back();
    Send& send = sends_[number];
    send.state = SendState::kPosted;
    *step = send.step;
    if (send.next_to_peer == kNone) return true;
    sends_[send.next_to_peer].first_to_peer = true;
    if (sends_[send.next_to_peer].state == SendState::kReady) push(send.next_to_peer);
    return true;
  }

 private:
  enum class SendState : std::uint8_t { kWaits, kReady, kPosted };
  struct Send {
    std::size_t step;
    std::size_t next_to_peer;
    SendState state;
    bool first_to_peer;  // of those that have not been posted, or their order does not matter
  };

  void push(std::size_t number) {
    ready_.push_back(number);
    std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
  }

  bool in_order_;
  std::vector<Send> sends_;           // in the order of the schedule
  std::vector<std::size_t> ready_;    // a heap, the earliest first
  std::vector<std::size_t> last_to_;  // by rank
  std::size_t first_ = 0;             // in sends_; all before are posted
};

}  // namespace starling::arrival
