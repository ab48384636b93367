// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Receiver: the receiving half of the protocols: it matches messages with receives and brings their data in.
//
// Thread safety: the world's lock.
// Invariants: a message is matched the moment that both it and a receive for it are known; at most one eager stream
// arrives from a peer at a time.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "base/small_copy.hpp"
#include "config/config.hpp"
#include "p2p/matching/posted_queue.hpp"
#include "p2p/matching/unexpected_queue.hpp"
#include "p2p/point_to_point.hpp"
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
  /// Nobody will receive the matched message.
  void abandon(UnexpectedMessage& matched);

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
  void on_no_data(std::uint64_t cookie);

  /// Whether a message from one of these peers is arriving.
  [[nodiscard]] bool receiving_from(const Peers::Numbers& peers) const;
  /// Throws away what came from these peers and nobody has received.
  void forget(const Peers::Numbers& peers);

  /// Ends all receives that only a peer who has just been marked dead could serve, and forgets what cannot be fetched
  /// from it any more.
  void mark_failed(std::int32_t peer, const Status& why);
  /// Ends all receives under a context id now: nothing is written into their buffers afterwards. Those that are being
  /// copied complete. Messages under it are dropped, those that are still to come as well.
  void interrupt(std::uint32_t context_id, const Status& why);
  void give_up(ReceiveRequest& request, const Status& why);
  [[nodiscard]] bool busy_in(std::uint32_t context_id);
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
  static Envelope pattern_of(const Message& message) noexcept {
    return {context_id_of(message), message.rank, message.tag};
  }
  static Envelope envelope_of(const transport::PacketHeader& header) noexcept {
    return {header.context_id, header.source, header.tag};
  }

  /// Binds a receive to a message of that many bytes.
  static void bind(ReceiveRequest& request, const Envelope& message, std::int32_t peer, std::int64_t bytes);
  static void store(ReceiveRequest& request, std::span<const std::byte> data);
  void store_and_check(ReceiveRequest& request, std::span<const std::byte> data);
  void complete(ReceiveRequest& request);

  void end_orphan(ReceiveRequest& request);
  [[nodiscard]] static Status truncated(const ReceiveRequest& request);

  ReceiveRequest* match(const Envelope& message) { return static_cast<ReceiveRequest*>(posted_.match(message)); }
  /// Gives the request a message that has come before it, if there is one.
  bool take_unexpected(ReceiveRequest& request);
  UnexpectedMessage& keep(std::int32_t peer, const transport::Packet& packet, std::int64_t bytes);
  void keep_eager(std::int32_t peer, const transport::Packet& packet);
  void deliver(UnexpectedMessage& message, ReceiveRequest& request);
  void begin_rendezvous(ReceiveRequest& request, const Announcement& announcement, std::uint64_t sender_cookie);
  void ask_for_data(ReceiveRequest& request);
  void recycle(UnexpectedMessage& message);
  void change_held(std::int32_t peer, std::int64_t bytes);
  bool advance_copies();

  void decline(std::int32_t peer, const Announcement& announcement);
  void wait_in_vain(ReceiveRequest& request);
  void refuse_to_wait(ReceiveRequest& request, const Message& message);
  void fail(ReceiveRequest& request, const Status& why);
  void orphan(ReceiveRequest& request, const Status& why);
  void finish_copy(ReceiveRequest& request, const Status& why);
  /// Throws away a message that waits in the queue.
  void drop(UnexpectedMessage& message);
  /// The same of one that is out of it.
  void discard(UnexpectedMessage& message);
  /// Whether nobody will ever receive what comes under a context id.
  [[nodiscard]] bool has_ended(std::uint32_t context_id) const {
    return !ended_.empty() && ended_.count(context_id) != 0;
  }

  Peers& peers_;
  PostedQueue posted_;
  UnexpectedQueue unexpected_;
  std::int64_t unexpected_bytes_ = 0;
  bool anybody_dead_ = false;
  std::unordered_set<std::uint32_t> ended_;  ///< the context ids that were interrupted
  RequestPool<ReceiveRequest> pool_;
  std::vector<std::unique_ptr<UnexpectedMessage>> free_messages_;
  std::vector<ReceiveRequest*> copying_;
};

// The way of a short message that is expected: here, so that the engine's calls have it in one piece.

inline ReceiveRequest& Receiver::make(const Message& message) {
  ReceiveRequest& request = *pool_.take();
  request.reset();
  request.receiver = this;
  request.disposed = false;
  request.orphaned = false;
  request.pattern = pattern_of(message);
  request.capacity = message.count * message.type->size();
  request.arrived = 0;
  request.cursor.emplace(*message.type, message.buffer, message.count);
  if (!request.cursor->is_contiguous()) request.type = Ref<const datatype::Datatype>::share(message.type);
  return request;
}

inline ReceiveRequest* Receiver::start(const Message& message) {
  ReceiveRequest& request = make(message);
  if (!unexpected_.empty() && take_unexpected(request)) return &request;
  request.peer = awaited_by(message).peer;
  posted_.post(request);
  if (anybody_dead_) [[unlikely]]
    refuse_to_wait(request, message);
  return &request;
}

inline void Receiver::on_eager(std::int32_t peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  ReceiveRequest* request = match(envelope);
  if (request == nullptr) return keep_eager(peer, packet);
  bind(*request, envelope, peer, static_cast<std::int64_t>(packet.payload.size()));
  if (packet.header.kind == static_cast<std::uint8_t>(PacketKind::kEagerSync)) [[unlikely]]
    peers_.send_control(peer, PacketKind::kMatched, packet.words[0]);
  store_and_check(*request, packet.payload);
}

inline void Receiver::bind(ReceiveRequest& request, const Envelope& message, std::int32_t peer, std::int64_t bytes) {
  request.peer = peer;
  request.message_bytes = bytes;
  request.completion.source = message.source;
  request.completion.tag = message.tag;
  request.completion.bytes = std::min(bytes, request.capacity);
}

inline void Receiver::store(ReceiveRequest& request, std::span<const std::byte> data) {
  const auto bytes = static_cast<std::int64_t>(data.size());
  request.arrived += bytes;
  if (request.orphaned) [[unlikely]]
    return;
  datatype::UnpackCursor& cursor = *request.cursor;
  if (cursor.is_contiguous() && bytes <= cursor.remaining()) [[likely]] {
    small_copy(cursor.memory(), data.data(), data.size());
    cursor.skip(bytes);
  } else {
    cursor.unpack(data.data(), data.size());  // takes what fits; the rest is truncated
  }
}

inline void Receiver::store_and_check(ReceiveRequest& request, std::span<const std::byte> data) {
  store(request, data);
  if (request.arrived == request.message_bytes) complete(request);
}

inline void Receiver::complete(ReceiveRequest& request) {
  if (request.orphaned) [[unlikely]]
    return end_orphan(request);
  if (request.message_bytes > request.capacity) [[unlikely]]
    request.failure = truncated(request);
  request.type = {};
  request.finish();
  if (request.disposed) [[unlikely]]
    pool_.give(&request);
}

}  // namespace starling::p2p
