// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Receiver: the receiving half of the protocols: it matches messages with receives and brings their data in.
//
// Thread safety: the world's lock.
// Invariants: a message is matched the moment that both it and a receive for it are known; at most one eager stream
// arrives from a peer at a time.
#pragma once

#include "config/config.hpp"
#include "p2p/engine.hpp"
#include "p2p/matching/posted_queue.hpp"
#include "p2p/matching/unexpected_queue.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/unexpected_message.hpp"
#include "p2p/request/receive_request.hpp"
#include "p2p/request/request_pool.hpp"

namespace starling::p2p {

class Receiver {
 public:
  explicit Receiver(Peers& peers) : peers_(peers) {}
  ~Receiver();

  ReceiveRequest* start(const Message& message);
  ReceiveRequest* start_matched(UnexpectedMessage& matched, const Message& message);

  /// The earliest waiting message that the pattern takes, or null.
  UnexpectedMessage* probe(const Message& pattern, Completion* completion);
  /// Takes a probed message out of the queue; only start_matched can receive it now.
  void take(UnexpectedMessage& message);

  void on_eager(std::int32_t peer, const transport::Packet& packet);
  void on_first(std::int32_t peer, const transport::Packet& packet);
  void on_more(std::int32_t peer, const transport::Packet& packet);
  void on_announce(std::int32_t peer, const transport::Packet& packet);
  void on_data(const transport::Packet& packet);
  void on_cancel(std::int32_t peer, std::uint64_t cookie);

  /// Whether a message from one of these peers is arriving.
  [[nodiscard]] bool receiving_from(const Peers::Numbers& peers) const;
  /// Throws away what came from these peers and nobody has received.
  void forget(const Peers::Numbers& peers);

  /// Ends all receives that only a peer who has just been marked dead could serve, and forgets what cannot be fetched
  /// from it any more.
  void bury(std::int32_t peer, const Status& why);
  /// Ends all receives under a context id now: nothing is written into their buffers afterwards. Those that are being
  /// copied complete.
  void interrupt(std::uint32_t context_id, const Status& why);
  void give_up(ReceiveRequest& request, const Status& why);
  /// For the receives from any source.
  void suspend_wildcards(std::uint32_t context_id, bool suspended);

  /// Moves long copies; returns whether a byte moved.
  bool poll() { return !copying_.empty() && advance_copies(); }

  void dispose(ReceiveRequest& request);
  void cancel(ReceiveRequest& request);

  [[nodiscard]] bool anybody_dead() const noexcept { return anybody_dead_; }

  /// What the earliest receive posted in a context waits for.
  [[nodiscard]] observe::Awaited awaited_in(std::uint32_t context_id) const;

  [[nodiscard]] std::int64_t posted() const noexcept { return posted_.size(); }
  [[nodiscard]] std::int64_t unexpected() const noexcept { return unexpected_.size(); }
  [[nodiscard]] std::int64_t unexpected_bytes() const noexcept { return unexpected_bytes_; }

 private:
  ReceiveRequest& make(const Message& message);
  static Envelope pattern_of(const Message& message) noexcept;

  /// Binds a receive to a message of that many bytes.
  static void bind(ReceiveRequest& request, const Envelope& message, std::int32_t peer, std::int64_t bytes);
  static void store(ReceiveRequest& request, std::span<const std::byte> data);
  void store_and_check(ReceiveRequest& request, std::span<const std::byte> data);
  void complete(ReceiveRequest& request);

  ReceiveRequest* match(const Envelope& message);
  UnexpectedMessage& keep(std::int32_t peer, const transport::Packet& packet, std::int64_t bytes);
  void deliver(UnexpectedMessage& message, ReceiveRequest& request);
  void begin_rendezvous(ReceiveRequest& request, const Announcement& announcement, std::uint64_t sender_cookie);
  void ask_for_data(ReceiveRequest& request);
  void recycle(UnexpectedMessage& message);
  void change_held(std::int32_t peer, std::int64_t bytes);
  bool advance_copies();

  void refuse_to_wait(ReceiveRequest& request, const Message& message);
  void fail(ReceiveRequest& request, const Status& why);
  void linger(ReceiveRequest& request, const Status& why);
  void finish_copy(ReceiveRequest& request, const Status& why);
  void drop(UnexpectedMessage& message);

  Peers& peers_;
  PostedQueue posted_;
  UnexpectedQueue unexpected_;
  std::int64_t unexpected_bytes_ = 0;
  bool anybody_dead_ = false;
  RequestPool<ReceiveRequest> pool_;
  std::vector<std::unique_ptr<UnexpectedMessage>> free_messages_;
  std::vector<ReceiveRequest*> copying_;
};

}  // namespace starling::p2p
