// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sender: the sending half of the protocols. It chooses one for each message by its size, its mode and the receiver's
// credits, and moves it packet by packet as the transport has room.
//
// Thread safety: the world's lock.
// Invariants: messages to one peer begin in the order of the calls; only the first of a peer's waiting list may be
// partly sent as an eager stream. Source: Sun HPC ClusterTools, "Sun MPI Implementation": short, medium, pipelined and
// cyclic messages, eager and rendezvous.
#pragma once

#include "config/config.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/request/message.hpp"
#include "p2p/request/request_pool.hpp"

namespace starling::p2p {

class Sender {
 public:
  Sender(Peers& peers, const config::Store& config);

  /// The whole message in one packet, without a request; false when another way is needed.
  bool send_short(const Message& message) {
    Peer& peer = peers_[message.comm->peer(message.rank)];
    const datatype::Datatype& type = *message.type;
    const std::int64_t bytes = message.count * type.size();
    if (bytes > peer.short_bytes || !type.is_contiguous() || !may_send_now(peer)) return false;
    const auto* data = static_cast<const std::byte*>(message.buffer) + type.true_lb();
    peer.sent->add(static_cast<std::uint64_t>(bytes));
    if (peer.transport->try_send(peer.address, header_of(message, PacketKind::kEager), data,
                                 static_cast<std::size_t>(bytes))) [[likely]]
      return true;
    uncount(message);
    return false;
  }

  SendRequest* start(const Message& message, SendMode mode);

  /// Moves packets that wait; returns whether any left.
  bool send_waiting() { return !peers_.backlog.empty() && flush_backlog(); }
  /// Copies for receivers that have not got to it; returns whether anything was copied or has ended.
  bool help_receivers() { return !copying_.empty() && help_copies(); }

  // Answers from receivers; cookie is the SendRequest. Those about a use that has ended are ignored.
  void on_clear_to_send(PeerId peer, std::uint64_t cookie, std::uint64_t receiver_cookie);
  void on_fetched(std::uint64_t cookie);
  void on_matched(std::uint64_t cookie) { on_fetched(cookie); }
  void on_cancel_reply(std::uint64_t cookie, bool taken_back);

  void dispose(SendRequest& request);
  void cancel(SendRequest& request);

  /// Ends all sends to a peer that has just been marked dead.
  void mark_failed(PeerId peer, const Status& why);
  /// Ends all sends under a context id now. Their buffers are free then; those that a receiver is copying complete.
  void interrupt(std::uint32_t context_id, const Status& why);
  void give_up(SendRequest& request, const Status& why);
  [[nodiscard]] bool busy_in(std::uint32_t context_id);

  [[nodiscard]] std::int64_t in_flight() const noexcept { return in_flight_; }

 private:
  [[nodiscard]] static transport::PacketHeader header_of(const Message& message, PacketKind kind) noexcept {
    transport::PacketHeader header;
    header.kind = static_cast<std::uint8_t>(kind);
    header.context_id = context_id_of(message);
    header.tag = message.tag;
    header.source = message.comm->rank();
    return header;
  }

  /// Nothing waits before it, and the receiver has room for eager messages.
  bool may_send_now(Peer& peer) {
    if (peer.has_backlog) return false;
    if (peer.sends_until_credit_check != 0) {
      --peer.sends_until_credit_check;
      return true;
    }
    return check_credit(peer);
  }
  bool check_credit(Peer& peer);
  /// The message was counted as sent, and finds no room: start() will count it.
  [[gnu::cold, gnu::noinline]] void uncount(const Message& message);

  /// Sends what goes now; true when the request has no packet left to send.
  bool advance(SendRequest& request);
  bool begin(SendRequest& request);
  bool send_eager(SendRequest& request);
  bool announce(SendRequest& request, PacketKind kind, const transport::CopyOffer& offer);
  /// An eager message of several packets.
  bool send_parts(SendRequest& request);
  bool stream(SendRequest& request, PacketKind kind, std::uint64_t word);
  bool send_piece(SendRequest& request, PacketKind kind, const std::uint64_t (&words)[2], std::size_t bytes);

  /// The request while the use of it lasts that the cookie names; else null.
  [[nodiscard]] SendRequest* find(std::uint64_t cookie);
  void queue(SendRequest& request);
  bool flush_backlog();
  bool flush_peer(PeerId number, bool* moved);
  bool help_copies();
  void stop_copying(SendRequest& request);
  void complete(SendRequest& request);
  void fail(SendRequest& request, const Status& why);
  void orphan(SendRequest& request, const Status& why);
  void end_orphan(SendRequest& request);
  void give_up_copy(SendRequest& request, const Status& why);
  void keep_unsent(SendRequest& request);
  bool fail_if_refused(SendRequest& request);

  Peers& peers_;
  RequestPool<SendRequest> pool_;
  std::vector<SendRequest*> copying_;  ///< announced with an offer that both ends copy
  std::int64_t in_flight_ = 0;
  std::int64_t cyclic_above_;
  std::uint64_t credit_bytes_;
};

}  // namespace starling::p2p
