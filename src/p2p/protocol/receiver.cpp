// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/receiver.hpp"

#include <algorithm>
#include <cstring>

namespace starling::p2p {
namespace {

/// The peer learns of what we hold in steps of this size; smaller changes are not worth a cache line's journey.
constexpr std::uint64_t kHeldStep = 64 * 1024;
/// Unexpected messages kept for reuse, so that a burst costs its allocations once.
constexpr std::size_t kFreeMessages = 256;

std::uint64_t cookie_of(const ReceiveRequest& request) {
  return reinterpret_cast<std::uint64_t>(static_cast<const Request*>(&request));
}

ReceiveRequest& request_of(std::uint64_t cookie) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): our own address come back
  return static_cast<ReceiveRequest&>(*reinterpret_cast<Request*>(cookie));
}

}  // namespace

void ReceiveRequest::dispose() { receiver->dispose(*this); }
void ReceiveRequest::cancel() { receiver->cancel(*this); }

Receiver::~Receiver() {
  while (Arrived* message = unexpected_.front()) {
    unexpected_.remove(*message);
    delete static_cast<UnexpectedMessage*>(message);
  }
}

bool Receiver::take_unexpected(ReceiveRequest& request) {
  Arrived* found = unexpected_.find(request.pattern);
  if (!found) return false;
  unexpected_.remove(*found);
  deliver(static_cast<UnexpectedMessage&>(*found), request);
  return true;
}

ReceiveRequest* Receiver::start_matched(UnexpectedMessage& matched, const Message& message) {
  ReceiveRequest& request = make(message);
  deliver(matched, request);
  return &request;
}

observe::Awaited Receiver::awaited_in(std::uint32_t context_id) const {
  const Posted* first = posted_.first_in(context_id);
  if (first == nullptr) return {-1, -1, context_id};
  return static_cast<const ReceiveRequest&>(*first).awaited();
}

UnexpectedMessage* Receiver::probe(const Message& pattern, Completion* completion) {
  // A rest that is still to come is dropped then.
  if ((pattern.comm->condition() & comm::kRevoked) != 0) [[unlikely]]
    return nullptr;
  Arrived* found = unexpected_.find(pattern_of(pattern));
  if (!found) return nullptr;
  auto& message = static_cast<UnexpectedMessage&>(*found);
  completion->source = message.envelope.source;
  completion->tag = message.envelope.tag;
  completion->bytes = message.bytes;
  completion->cancelled = false;
  return &message;
}

void Receiver::abandon(UnexpectedMessage& matched) {
  if (matched.streaming) {
    matched.unwanted = true;
    return;
  }
  if (matched.kind == PacketKind::kAnnounce) decline(matched.peer, matched.announcement);
  discard(matched);
}

void Receiver::take(UnexpectedMessage& message) {
  unexpected_.remove(message);
  message.matched = true;
}

void Receiver::end_orphan(ReceiveRequest& request) {
  request.orphaned = false;
  if (request.disposed) pool_.give(&request);
}

Status Receiver::truncated(const ReceiveRequest& request) {
  return Status::error(ErrorClass::kTruncate,
                       "a message of " + std::to_string(request.message_bytes) + " bytes from rank " +
                           std::to_string(request.completion.source) + " with tag " +
                           std::to_string(request.completion.tag) + " does not fit the receive of " +
                           std::to_string(request.capacity) +
                           " bytes; the rest of it is lost. Receive with a larger count, or probe for the size");
}

void Receiver::keep_eager(std::int32_t peer, const transport::Packet& packet) {
  if (has_ended(packet.header.context_id)) [[unlikely]]
    return;
  UnexpectedMessage& message = keep(peer, packet, static_cast<std::int64_t>(packet.payload.size()));
  message.sender_cookie = packet.words[0];
  message.data.assign(packet.payload.begin(), packet.payload.end());
}

void Receiver::on_first(std::int32_t peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  const auto bytes = static_cast<std::int64_t>(packet.words[0]);
  if (ReceiveRequest* request = match(envelope)) {
    bind(*request, envelope, peer, bytes);
    store(*request, packet.payload);
    peers_[peer].stream_receive = request;
    return;
  }
  UnexpectedMessage& message = keep(peer, packet, bytes);
  message.streaming = true;
  message.unwanted = has_ended(envelope.context_id);
  message.data.reserve(static_cast<std::size_t>(bytes));
  message.data.assign(packet.payload.begin(), packet.payload.end());
  peers_[peer].stream_unexpected = &message;
}

void Receiver::on_more(std::int32_t rank, const transport::Packet& packet) {
  Peer& peer = peers_[rank];
  if (ReceiveRequest* request = peer.stream_receive) {
    if (request->arrived + static_cast<std::int64_t>(packet.payload.size()) == request->message_bytes) {
      peer.stream_receive = nullptr;
    }
    store_and_check(*request, packet.payload);
    return;
  }
  UnexpectedMessage& message = *peer.stream_unexpected;
  message.data.insert(message.data.end(), packet.payload.begin(), packet.payload.end());
  if (static_cast<std::int64_t>(message.data.size()) == message.bytes) {
    message.streaming = false;
    peer.stream_unexpected = nullptr;
    if (message.unwanted) [[unlikely]]
      message.matched ? discard(message) : drop(message);
  }
}

void Receiver::on_announce(std::int32_t peer, const transport::Packet& packet) {
  const Envelope envelope = envelope_of(packet.header);
  const auto bytes = static_cast<std::int64_t>(packet.words[0]);
  Announcement announcement;
  std::memcpy(&announcement, packet.payload.data(), sizeof announcement);
  if (ReceiveRequest* request = match(envelope)) {
    bind(*request, envelope, peer, bytes);
    begin_rendezvous(*request, announcement, packet.words[1]);
    return;
  }
  if (has_ended(envelope.context_id)) [[unlikely]] {
    decline(peer, announcement);
    return;
  }
  UnexpectedMessage& message = keep(peer, packet, bytes);
  message.announcement = announcement;
  message.sender_cookie = packet.words[1];
}

void Receiver::on_data(const transport::Packet& packet) {
  store_and_check(request_of(packet.words[0]), packet.payload);
}

void Receiver::on_no_data(std::uint64_t cookie) {
  ReceiveRequest& request = request_of(cookie);
  if (request.orphaned) return end_orphan(request);
  wait_in_vain(request);
}

UnexpectedMessage& Receiver::keep(std::int32_t peer, const transport::Packet& packet, std::int64_t bytes) {
  UnexpectedMessage* message = nullptr;
  if (free_messages_.empty()) {
    message = new UnexpectedMessage;  // owned by the queue, or by the matched probe that takes it out
  } else {
    message = free_messages_.back().release();
    free_messages_.pop_back();
  }
  message->envelope = envelope_of(packet.header);
  message->peer = peer;
  message->kind = static_cast<PacketKind>(packet.header.kind);
  message->bytes = bytes;
  message->streaming = false;
  message->matched = false;
  message->unwanted = false;
  unexpected_.insert(*message);
  change_held(peer, static_cast<std::int64_t>(message->held()));
  return *message;
}

void Receiver::deliver(UnexpectedMessage& message, ReceiveRequest& request) {
  bind(request, message.envelope, message.peer, message.bytes);
  change_held(message.peer, -static_cast<std::int64_t>(message.held()));
  if (message.streaming && peers_[message.peer].dead) [[unlikely]] {
    fail(request, process_failed(message.envelope.source));
  } else if (message.kind == PacketKind::kAnnounce) {
    begin_rendezvous(request, message.announcement, message.sender_cookie);
  } else {
    if (message.kind == PacketKind::kEagerSync) {
      peers_.send_control(message.peer, PacketKind::kMatched, message.sender_cookie);
    }
    if (message.streaming) {
      Peer& peer = peers_[message.peer];
      peer.stream_unexpected = nullptr;
      peer.stream_receive = &request;
    }
    store_and_check(request, message.data);
  }
  recycle(message);
}

void Receiver::recycle(UnexpectedMessage& message) {
  std::unique_ptr<UnexpectedMessage> owned(&message);
  if (free_messages_.size() == kFreeMessages) return;
  if (owned->data.capacity() > 4096) owned->data = {};  // a long message's memory goes back at once
  owned->data.clear();
  free_messages_.push_back(std::move(owned));
}

void Receiver::change_held(std::int32_t rank, std::int64_t bytes) {
  Peer& peer = peers_[rank];
  peer.held += static_cast<std::uint64_t>(bytes);
  unexpected_bytes_ += bytes;
  const std::uint64_t change =
      peer.held > peer.held_published ? peer.held - peer.held_published : peer.held_published - peer.held;
  if (change < kHeldStep) return;
  peer.held_published = peer.held;
  peer.transport->publish_held(rank, peer.held);
}

void Receiver::begin_rendezvous(ReceiveRequest& request, const Announcement& announcement,
                                std::uint64_t sender_cookie) {
  request.sender_cookie = sender_cookie;
  if (peers_[request.peer].dead) [[unlikely]]
    return fail(request, process_failed(request.completion.source));
  transport::SingleCopy* copy = peers_[request.peer].transport->single_copy();
  const bool direct =
      copy && announcement.address != 0 && request.cursor->is_contiguous() && copy->permitted(request.peer);
  if (request.message_bytes == 0 || !direct) {
    const bool offered = announcement.descriptor != transport::SingleCopy::kNoDescriptor;
    if (offered && !copy->refuse(request.peer, announcement.descriptor)) return wait_in_vain(request);
    if (request.message_bytes != 0) return ask_for_data(request);
    peers_.send_control(request.peer, PacketKind::kFetched, sender_cookie);
    complete(request);
    return;
  }
  const auto bytes = static_cast<std::uint64_t>(request.completion.bytes);
  if (announcement.descriptor != transport::SingleCopy::kNoDescriptor) {
    request.descriptor = announcement.descriptor;
    if (copy->open(request.peer, request.descriptor, request.cursor->memory(), bytes)) [[likely]] {
      copying_.push_back(&request);
    } else {
      wait_in_vain(request);
    }
  } else if (copy->read(request.peer, announcement.address, request.cursor->memory(), bytes)) {
    peers_.send_control(request.peer, PacketKind::kFetched, sender_cookie);
    complete(request);
  } else {
    ask_for_data(request);
  }
}

void Receiver::ask_for_data(ReceiveRequest& request) {
  peers_.send_control(request.peer, PacketKind::kClearToSend, request.sender_cookie, cookie_of(request));
}

/// As Sender::help_copies.
bool Receiver::advance_copies() {
  bool moved = false;
  for (std::size_t i = 0; i < copying_.size();) {
    ReceiveRequest& request = *copying_[i];
    transport::SingleCopy& copy = *peers_[request.peer].transport->single_copy();
    const transport::CopyState state = copy.advance(request.peer, request.descriptor);
    if (state == transport::CopyState::kMoved) return true;
    if (state == transport::CopyState::kWaiting) {
      ++i;
      continue;
    }
    moved = true;
    copying_.erase(copying_.begin() + static_cast<std::ptrdiff_t>(i));
    if (state == transport::CopyState::kDone) {
      copy.close(request.peer, request.descriptor);
      complete(request);
    } else {
      ask_for_data(request);
    }
  }
  return moved;
}

bool Receiver::receiving_from(const Peers::Numbers& peers) const {
  return std::any_of(copying_.begin(), copying_.end(),
                     [&](const ReceiveRequest* request) { return peers.has(request->peer); });
}

void Receiver::forget(const Peers::Numbers& peers) {
  for (Arrived* entry = unexpected_.front(); entry != nullptr;) {
    auto& message = static_cast<UnexpectedMessage&>(*entry);
    entry = entry->order.next;
    if (!peers.has(message.peer)) continue;
    unexpected_.remove(message);
    unexpected_bytes_ -= static_cast<std::int64_t>(message.held());
    recycle(message);
  }
}

void Receiver::on_cancel(std::int32_t peer, std::uint64_t cookie) {
  for (Arrived* entry = unexpected_.front(); entry; entry = entry->order.next) {
    auto& message = static_cast<UnexpectedMessage&>(*entry);
    const bool has_cookie = message.kind == PacketKind::kAnnounce || message.kind == PacketKind::kEagerSync;
    if (message.peer != peer || !has_cookie || message.sender_cookie != cookie) continue;
    unexpected_.remove(message);
    change_held(peer, -static_cast<std::int64_t>(message.held()));
    recycle(message);
    peers_.send_control(peer, PacketKind::kCancelReply, cookie, 1);
    return;
  }
  peers_.send_control(peer, PacketKind::kCancelReply, cookie, 0);
}

void Receiver::cancel(ReceiveRequest& request) {
  if (request.complete() || !request.queued) return;
  posted_.remove(request);
  request.completion.cancelled = true;
  request.message_bytes = 0;
  complete(request);
}

void Receiver::dispose(ReceiveRequest& request) {
  if (request.complete() && !request.orphaned) {
    pool_.give(&request);
  } else {
    request.disposed = true;
  }
}

}  // namespace starling::p2p
