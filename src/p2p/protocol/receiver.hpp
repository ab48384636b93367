// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Receiver: the receiving half of the protocols: it matches messages with receives and brings their data in.
//
// Thread safety: the world's lock.
// Invariants: a message is matched the moment that both it and a receive for it are known; at most one eager stream
// arrives from a peer at a time.
#pragma once

#include <unordered_set>

#include "p2p/matching/posted_queue.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/receive_requests.hpp"
#include "p2p/protocol/rendezvous_receives.hpp"
#include "p2p/protocol/unexpected_messages.hpp"

namespace starling::p2p {

class Receiver {
 public:
  explicit Receiver(Peers& peers) : peers_(peers), unexpected_(peers), rendezvous_(peers, requests_, posted_) {}

  ReceiveRequest* start(const Message& message);
  ReceiveRequest* start_matched(UnexpectedMessage& matched, const Message& message);
  /// Drops the matched message, which will not be received.
  void abandon(UnexpectedMessage& matched);

  /// The earliest waiting message that the pattern takes, or null.
  UnexpectedMessage* probe(const Message& pattern, Completion* completion);
  /// Takes a probed message out of the queue; only start_matched can receive it now.
  void take(UnexpectedMessage& message);

  void on_eager(PeerId peer, const transport::Packet& packet);
  /// An eager message begins to arrive, and bytes of it in this packet: where they may be put at once; null: nowhere,
  /// as long as no receive is there that takes all of it as it is. A receive that does is bound to it from then on.
  [[nodiscard]] std::byte* place_of_eager(PeerId peer, const transport::PacketHeader& header, std::size_t message_bytes,
                                          std::size_t bytes);
  /// The same for what follows of it.
  [[nodiscard]] std::byte* place_of_more(PeerId peer, std::size_t bytes);
  /// The packet has arrived there.
  void on_placed_eager(PeerId peer, const transport::Packet& packet);
  void on_first(PeerId peer, const transport::Packet& packet);
  void on_more(PeerId peer, const transport::Packet& packet);
  void on_offer(PeerId peer, const transport::Packet& packet);
  void on_announce(PeerId peer, const transport::Packet& packet);
  void on_data(const transport::Packet& packet);
  /// Where the next data of a receive may be put before the packet is delivered; null: nowhere.
  [[nodiscard]] static std::byte* place_of_data(std::uint64_t cookie, std::size_t bytes) noexcept {
    return place_in(ReceiveRequests::request_of(cookie), bytes);
  }
  void on_cancel(PeerId peer, std::uint64_t cookie);
  void on_no_data(std::uint64_t cookie);

  /// What becomes of a message that comes now.
  enum class Fate : std::uint8_t { kMatches, kWaits, kIsDropped };
  [[nodiscard]] Fate fate_of(const Envelope& message) const {
    if (posted_.size() != 0 && posted_.find(message) != nullptr) return Fate::kMatches;
    return has_ended(message.context_id) ? Fate::kIsDropped : Fate::kWaits;
  }

  /// Whether a message from one of these peers is being copied.
  [[nodiscard]] bool receiving_from(const Peers::Numbers& peers) const { return rendezvous_.is_copying_from(peers); }
  /// Throws away what came from these peers and has not been received.
  void forget(const Peers::Numbers& peers) { unexpected_.forget(peers); }

  /// Ends all receives that only a peer that has just been marked dead could serve, and forgets what cannot be fetched
  /// from it any more.
  void mark_failed(PeerId peer, const Status& why);
  /// Ends all receives under a context id now: nothing is written into their buffers afterwards. Those that are being
  /// copied complete. Messages under it are dropped, those that are still to come as well.
  void interrupt(std::uint32_t context_id, const Status& why);
  void give_up(ReceiveRequest& request, const Status& why);
  [[nodiscard]] bool busy_in(std::uint32_t context_id) { return requests_.busy_in(context_id); }
  /// For the receives from any source.
  void suspend_wildcards(std::uint32_t context_id, bool suspended);

  /// Moves single copies; returns whether a byte moved.
  bool poll() { return rendezvous_.poll(); }

  void dispose(ReceiveRequest& request) { requests_.dispose(request); }
  void cancel(ReceiveRequest& request);

  [[nodiscard]] bool anybody_dead() const noexcept { return anybody_dead_; }

  /// What the earliest receive posted in a context waits for.
  [[nodiscard]] observe::Awaited awaited_in(std::uint32_t context_id) const;

  [[nodiscard]] std::int64_t posted() const noexcept { return posted_.size(); }
  [[nodiscard]] std::int64_t unexpected() const noexcept { return unexpected_.count(); }
  [[nodiscard]] std::int64_t unexpected_bytes() const noexcept { return unexpected_.bytes(); }

 private:
  ReceiveRequest* match(const Envelope& message) { return static_cast<ReceiveRequest*>(posted_.match(message)); }
  /// Where the next bytes of its message may be put as they are; null: nowhere.
  [[nodiscard]] static std::byte* place_in(const ReceiveRequest& request, std::size_t bytes) noexcept;
  /// Gives the request a message that has come before it, if there is one.
  bool take_unexpected(ReceiveRequest& request);
  void deliver(UnexpectedMessage& message, ReceiveRequest& request);
  void refuse_to_wait(ReceiveRequest& request, const Message& message);
  /// Whether what comes under a context id will never be received.
  [[nodiscard]] bool has_ended(std::uint32_t context_id) const {
    return !ended_.empty() && ended_.count(context_id) != 0;
  }

  Peers& peers_;
  PostedQueue posted_;
  ReceiveRequests requests_;
  UnexpectedMessages unexpected_;
  RendezvousReceives rendezvous_;
  bool anybody_dead_ = false;
  std::unordered_set<std::uint32_t> ended_;  ///< the context ids that were interrupted
};

// The path of a short message that is expected: here, so that the calls of PointToPoint have it in one piece.

inline ReceiveRequest* Receiver::start(const Message& message) {
  ReceiveRequest& request = requests_.make(*this, message);
  if (!unexpected_.empty() && take_unexpected(request)) return &request;
  request.peer = awaited_by(message).peer;
  posted_.post(request);
  if (anybody_dead_) [[unlikely]]
    refuse_to_wait(request, message);
  return &request;
}

inline void Receiver::on_eager(PeerId peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  ReceiveRequest* request = match(envelope);
  if (request == nullptr) {
    if (!has_ended(envelope.context_id)) unexpected_.keep_eager(peer, packet);
    return;
  }
  ReceiveRequests::bind(*request, envelope, peer, static_cast<std::int64_t>(packet.payload.size()));
  if (packet.header.kind == static_cast<std::uint8_t>(PacketKind::kEagerSync)) [[unlikely]]
    peers_.send_control(peer, PacketKind::kMatched, packet.words[0]);
  requests_.store_and_check(*request, packet.payload);
}

}  // namespace starling::p2p
