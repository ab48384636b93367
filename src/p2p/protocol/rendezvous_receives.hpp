// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RendezvousReceives: the receives whose message was announced: it is copied straight from the sender's memory, or
// asked for and sent in packets.
//
// Thread safety: the world's lock.
// Invariants: a receive is in the list of copies exactly while the joint offer that it has opened lasts.
#pragma once

#include <vector>

#include "p2p/matching/posted_queue.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/receive_requests.hpp"

namespace starling::p2p {

class RendezvousReceives {
 public:
  RendezvousReceives(Peers& peers, ReceiveRequests& requests, PostedQueue& posted) noexcept
      : peers_(peers), requests_(requests), posted_(posted) {}

  /// The request has matched an announced message.
  void begin(ReceiveRequest& request, const transport::CopyOffer& offer, std::uint64_t sender_cookie);
  /// Copies an eager message that is offered, now: kDone, kGone where the sender has given it up, or kRefused.
  transport::CopyState take(PeerId peer, const transport::CopyOffer& offer, std::span<std::byte> destination,
                            std::uint64_t sender_cookie);
  /// Drops the announced message, which will not be received.
  void decline(PeerId peer, const transport::CopyOffer& offer);
  /// Posts a receive again whose message its sender has given up: the reason will end it here, too.
  void post_again(ReceiveRequest& request);

  /// Moves single copies; returns whether a byte moved.
  bool poll() { return !copying_.empty() && advance(); }

  [[nodiscard]] bool is_copying(const ReceiveRequest& request) const;
  [[nodiscard]] bool is_copying_from(const Peers::Numbers& peers) const;
  /// The sender has died in the middle of the copy.
  void abandon(const ReceiveRequest& request) { std::erase(copying_, &request); }
  /// Brings a copy to its end; the request completes, or fails with `why`.
  void finish(ReceiveRequest& request, const Status& why);

 private:
  /// The receiver may copy what is offered by itself, or together with the sender.
  void copy(ReceiveRequest& request, const transport::CopyOffer& offer, Peer& peer);
  void take(ReceiveRequest& request, const transport::CopyOffer& offer, Peer& peer);
  void ask_for_data(ReceiveRequest& request);
  bool advance();

  Peers& peers_;
  ReceiveRequests& requests_;
  PostedQueue& posted_;
  std::vector<ReceiveRequest*> copying_;
};

}  // namespace starling::p2p
