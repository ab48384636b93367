// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/receiver.hpp"

#include <cstring>
#include <utility>

#include "p2p/request/failures.hpp"

namespace starling::p2p {

void ReceiveRequest::dispose() { receiver->dispose(*this); }
void ReceiveRequest::cancel() { receiver->cancel(*this); }

bool Receiver::take_unexpected(ReceiveRequest& request) {
  UnexpectedMessage* found = unexpected_.find(request.pattern);
  if (!found) return false;
  unexpected_.remove(*found);
  deliver(*found, request);
  return true;
}

ReceiveRequest* Receiver::start_matched(UnexpectedMessage& matched, const Message& message) {
  ReceiveRequest& request = requests_.make(*this, message);
  deliver(matched, request);
  return &request;
}

observe::Awaited Receiver::awaited_in(std::uint32_t context_id) const {
  const PostedEntry* first = posted_.first_in(context_id);
  if (first == nullptr) return awaited_message(observe::AwaitedAs::kOther, PeerId(), -1, context_id);
  return static_cast<const ReceiveRequest&>(*first).awaited();
}

UnexpectedMessage* Receiver::probe(const Message& pattern, Completion* completion) {
  // What is still to come of a message would be dropped.
  if ((pattern.comm->condition() & comm::kRevoked) != 0) [[unlikely]]
    return nullptr;
  UnexpectedMessage* message = unexpected_.find(pattern_of(pattern));
  if (!message) return nullptr;
  completion->source = message->envelope.source;
  completion->tag = message->envelope.tag;
  completion->bytes = message->bytes;
  completion->cancelled = false;
  return message;
}

void Receiver::take(UnexpectedMessage& message) {
  unexpected_.remove(message);
  message.matched = true;
}

void Receiver::abandon(UnexpectedMessage& matched) {
  if (matched.streaming) {
    matched.unwanted = true;
    return;
  }
  if (matched.kind == PacketKind::kAnnounce) rendezvous_.decline(matched.peer, matched.offer);
  unexpected_.discard(matched);
}

std::byte* Receiver::place_of_eager(PeerId number, const transport::PacketHeader& header, std::size_t message_bytes,
                                    std::size_t bytes) {
  Peer& peer = peers_[number];
  if (peer.stream_receive == nullptr) {
    const Envelope envelope = envelope_of(header);
    auto* const request = static_cast<ReceiveRequest*>(posted_.find(envelope));
    if (request == nullptr || place_in(*request, message_bytes) == nullptr) return nullptr;
    posted_.remove(*request);
    ReceiveRequests::bind(*request, envelope, number, static_cast<std::int64_t>(message_bytes));
    peer.stream_receive = request;
  }
  return place_in(*peer.stream_receive, bytes);
}

std::byte* Receiver::place_of_more(PeerId number, std::size_t bytes) {
  const ReceiveRequest* const request = peers_[number].stream_receive;
  return request == nullptr ? nullptr : place_in(*request, bytes);
}

void Receiver::on_placed_eager(PeerId number, const transport::Packet& packet) {
  Peer& peer = peers_[number];
  ReceiveRequest* const request = peer.stream_receive;
  if (request == nullptr) return;  // the peer is dead
  if (packet.header.kind == static_cast<std::uint8_t>(PacketKind::kEagerSync)) {
    peers_.send_control(number, PacketKind::kMatched, packet.words[0]);
  }
  const auto bytes = static_cast<std::int64_t>(packet.payload.size());
  if (request->arrived + bytes == request->message_bytes) peer.stream_receive = nullptr;
  requests_.take_placed(*request, bytes);
}

void Receiver::on_first(PeerId peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  const auto bytes = static_cast<std::int64_t>(packet.words[0]);
  if (ReceiveRequest* request = match(envelope)) {
    ReceiveRequests::bind(*request, envelope, peer, bytes);
    ReceiveRequests::store(*request, packet.payload);
    peers_[peer].stream_receive = request;
    return;
  }
  UnexpectedMessage& message = unexpected_.keep(peer, packet, bytes);
  message.streaming = true;
  message.unwanted = has_ended(envelope.context_id);
  message.data.reserve(static_cast<std::size_t>(bytes));
  message.data.assign(packet.payload.begin(), packet.payload.end());
  peers_[peer].stream_unexpected = &message;
}

void Receiver::on_more(PeerId number, const transport::Packet& packet) {
  Peer& peer = peers_[number];
  if (ReceiveRequest* request = peer.stream_receive) {
    if (request->arrived + static_cast<std::int64_t>(packet.payload.size()) == request->message_bytes) {
      peer.stream_receive = nullptr;
    }
    requests_.store_and_check(*request, packet.payload);
    return;
  }
  UnexpectedMessage& message = *peer.stream_unexpected;
  message.data.insert(message.data.end(), packet.payload.begin(), packet.payload.end());
  if (static_cast<std::int64_t>(message.data.size()) == message.bytes) {
    message.streaming = false;
    peer.stream_unexpected = nullptr;
    if (message.unwanted) [[unlikely]]
      message.matched ? unexpected_.discard(message) : unexpected_.drop(message);
  }
}

void Receiver::on_announce(PeerId peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  const auto bytes = static_cast<std::int64_t>(packet.words[0]);
  transport::CopyOffer offer;
  std::memcpy(&offer, packet.payload.data(), sizeof offer);
  if (ReceiveRequest* request = match(envelope)) {
    ReceiveRequests::bind(*request, envelope, peer, bytes);
    rendezvous_.begin(*request, offer, packet.words[1]);
    return;
  }
  if (has_ended(envelope.context_id)) [[unlikely]] {
    rendezvous_.decline(peer, offer);
    return;
  }
  UnexpectedMessage& message = unexpected_.keep(peer, packet, bytes);
  message.offer = offer;
  message.sender_cookie = packet.words[1];
}

/// Whether a receive waits for the message or not, a copy of it lets its sender go on, as an eager message does.
void Receiver::on_offer(PeerId peer, const transport::Packet& packet) {
  using transport::CopyState;
  const Envelope envelope = envelope_of(packet.header);
  const auto bytes = static_cast<std::size_t>(packet.words[0]);
  transport::CopyOffer offer;
  std::memcpy(&offer, packet.payload.data(), sizeof offer);
  ReceiveRequest* const request = match(envelope);
  if (request != nullptr) {
    ReceiveRequests::bind(*request, envelope, peer, static_cast<std::int64_t>(bytes));
  } else if (has_ended(envelope.context_id)) [[unlikely]] {
    return rendezvous_.decline(peer, offer);
  }
  std::byte* const place = request != nullptr ? place_in(*request, bytes) : nullptr;
  // In a stream the sender has time to copy its share. One message arrives sooner without asking it.
  if (place != nullptr && posted_.size() != 0) return rendezvous_.begin(*request, offer, packet.words[1]);
  std::vector<std::byte> aside(place == nullptr ? bytes : 0);
  const std::span<std::byte> destination(place == nullptr ? aside.data() : place, bytes);
  const CopyState state = rendezvous_.take(peer, offer, destination, packet.words[1]);
  if (request == nullptr) {
    if (state != CopyState::kGone) unexpected_.keep_offered(peer, packet, state == CopyState::kDone, std::move(aside));
  } else if (state == CopyState::kGone) {
    rendezvous_.post_again(*request);
  } else if (state != CopyState::kDone) {
    rendezvous_.begin(*request, {}, packet.words[1]);
  } else if (place == nullptr) {
    requests_.store_and_check(*request, aside);
  } else {
    requests_.take_placed(*request, static_cast<std::int64_t>(bytes));
  }
}

void Receiver::on_data(const transport::Packet& packet) {
  ReceiveRequest& request = ReceiveRequests::request_of(packet.words[0]);
  if (place_of_data(packet.words[0], packet.payload.size()) != packet.payload.data())
    return requests_.store_and_check(request, packet.payload);
  requests_.take_placed(request, static_cast<std::int64_t>(packet.payload.size()));
}

std::byte* Receiver::place_in(const ReceiveRequest& request, std::size_t bytes) noexcept {
  if (request.orphaned || !request.cursor->is_contiguous()) return nullptr;
  return static_cast<std::int64_t>(bytes) <= request.cursor->remaining() ? request.cursor->memory() : nullptr;
}

void Receiver::on_no_data(std::uint64_t cookie) {
  ReceiveRequest& request = ReceiveRequests::request_of(cookie);
  if (request.orphaned) return requests_.end_orphan(request);
  rendezvous_.post_again(request);
}

void Receiver::deliver(UnexpectedMessage& message, ReceiveRequest& request) {
  if (peers_.listener() != nullptr) [[unlikely]]
    peers_.tell_early_match(message.envelope, static_cast<std::uint64_t>(message.bytes));
  ReceiveRequests::bind(request, message.envelope, message.peer, message.bytes);
  unexpected_.release(message);
  if (message.streaming && peers_[message.peer].dead) [[unlikely]] {
    requests_.fail(request, process_failed(message.envelope.source));
  } else if (message.kind == PacketKind::kAnnounce) {
    rendezvous_.begin(request, message.offer, message.sender_cookie);
  } else {
    if (message.kind == PacketKind::kEagerSync) {
      peers_.send_control(message.peer, PacketKind::kMatched, message.sender_cookie);
    }
    if (message.streaming) {
      Peer& peer = peers_[message.peer];
      peer.stream_unexpected = nullptr;
      peer.stream_receive = &request;
    }
    requests_.store_and_check(request, message.data);
  }
  unexpected_.recycle(message);
}

void Receiver::on_cancel(PeerId peer, std::uint64_t cookie) {
  peers_.send_control(peer, PacketKind::kCancelReply, cookie, unexpected_.take_back(peer, cookie) ? 1 : 0);
}

void Receiver::cancel(ReceiveRequest& request) {
  if (request.complete() || !request.queued) return;
  posted_.remove(request);
  request.completion.cancelled = true;
  request.message_bytes = 0;
  requests_.complete(request);
}

}  // namespace starling::p2p
