// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// UnexpectedMessages: the messages of one rank that wait for a receive, and what each sender is told of the memory they
// take. Thread safety: the world's lock.
// Invariants: a sender's held bytes are those of its messages in the queue and of those that a matched probe has taken
// out of it.
#pragma once

#include <memory>
#include <vector>

#include "p2p/matching/unexpected_queue.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/unexpected_message.hpp"

namespace starling::p2p {

class UnexpectedMessages {
 public:
  explicit UnexpectedMessages(Peers& peers) noexcept : peers_(peers) {}
  ~UnexpectedMessages();
  UnexpectedMessages(const UnexpectedMessages&) = delete;
  UnexpectedMessages& operator=(const UnexpectedMessages&) = delete;

  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  [[nodiscard]] std::int64_t count() const noexcept { return queue_.size(); }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// Queues a message that no receive matched.
  UnexpectedMessage& keep(PeerId peer, const transport::Packet& packet, std::int64_t bytes);
  /// Queues an eager message that came in one packet.
  void keep_eager(PeerId peer, const transport::Packet& packet);
  /// Queues a message that was offered: with its data, or, where they could not be copied, to ask for them later.
  void keep_offered(PeerId peer, const transport::Packet& packet, bool is_copied, std::vector<std::byte> data);
  /// The earliest message that the pattern takes, or null. It stays queued.
  [[nodiscard]] UnexpectedMessage* find(const Envelope& pattern) {
    return static_cast<UnexpectedMessage*>(queue_.find(pattern));
  }
  /// Takes a message out of the queue; it is held until it is released.
  void remove(UnexpectedMessage& message) { queue_.remove(message); }
  /// Its sender need not count it any more.
  void release(const UnexpectedMessage& message) {
    change_held(message.peer, -static_cast<std::int64_t>(message.held()));
  }
  /// Keeps the memory of a released message for the next one.
  void recycle(UnexpectedMessage& message);

  /// Throws away a message that waits in the queue.
  void drop(UnexpectedMessage& message);
  /// Throws away a message that is out of the queue.
  void discard(UnexpectedMessage& message);
  /// Takes back what its sender cancels; false when it does not wait here any more.
  bool take_back(PeerId peer, std::uint64_t sender_cookie);
  /// Throws away what came from peers that are let go, without telling them.
  void forget(const Peers::Numbers& peers);

  /// Visits the messages in order of arrival; the function may drop the one it is given.
  template <typename Function>
  void for_each(Function&& function) {
    for (UnexpectedEntry* entry = queue_.front(); entry != nullptr;) {
      auto& message = static_cast<UnexpectedMessage&>(*entry);
      entry = entry->order.next;
      function(message);
    }
  }

 private:
  void change_held(PeerId peer, std::int64_t bytes);

  Peers& peers_;
  UnexpectedQueue queue_;
  std::int64_t bytes_ = 0;
  std::vector<std::unique_ptr<UnexpectedMessage>> free_;
};

}  // namespace starling::p2p
