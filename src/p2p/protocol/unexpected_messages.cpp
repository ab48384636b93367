// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/unexpected_messages.hpp"

#include <utility>

namespace starling::p2p {
namespace {

/// The sender learns what its messages take here in steps of this size; smaller changes are not worth the transfer of a
/// cache line.
constexpr std::uint64_t kHeldStep = 64 * 1024;
/// Unexpected messages kept for reuse, so that a burst costs its allocations once.
constexpr std::size_t kFreeMessages = 256;
/// A longer message's memory goes back at once.
constexpr std::size_t kMostKept = 4096;

}  // namespace

UnexpectedMessages::~UnexpectedMessages() {
  while (UnexpectedEntry* message = queue_.front()) {
    queue_.remove(*message);
    delete static_cast<UnexpectedMessage*>(message);
  }
}

UnexpectedMessage& UnexpectedMessages::keep(PeerId peer, const transport::Packet& packet, std::int64_t bytes) {
  UnexpectedMessage* message = nullptr;
  if (free_.empty()) {
    message = new UnexpectedMessage;  // owned by the queue, or by the matched probe that takes it out
  } else {
    message = free_.back().release();
    free_.pop_back();
  }
  message->envelope = envelope_of(packet.header);
  message->peer = peer;
  message->kind = static_cast<PacketKind>(packet.header.kind);
  message->bytes = bytes;
  message->streaming = false;
  message->matched = false;
  message->unwanted = false;
  queue_.insert(*message);
  change_held(peer, static_cast<std::int64_t>(message->held()));
  return *message;
}

void UnexpectedMessages::keep_eager(PeerId peer, const transport::Packet& packet) {
  UnexpectedMessage& message = keep(peer, packet, static_cast<std::int64_t>(packet.payload.size()));
  message.sender_cookie = packet.words[0];
  message.data.assign(packet.payload.begin(), packet.payload.end());
}

void UnexpectedMessages::keep_offered(PeerId peer, const transport::Packet& packet, bool is_copied,
                                      std::vector<std::byte> data) {
  transport::Packet kept = packet;
  kept.header.kind = static_cast<std::uint8_t>(is_copied ? PacketKind::kEager : PacketKind::kAnnounce);
  UnexpectedMessage& message = keep(peer, kept, static_cast<std::int64_t>(packet.words[0]));
  message.sender_cookie = packet.words[1];
  message.offer = {};
  if (is_copied) message.data = std::move(data);
}

void UnexpectedMessages::recycle(UnexpectedMessage& message) {
  std::unique_ptr<UnexpectedMessage> owned(&message);
  if (free_.size() == kFreeMessages) return;
  if (owned->data.capacity() > kMostKept) owned->data = {};
  owned->data.clear();
  free_.push_back(std::move(owned));
}

void UnexpectedMessages::change_held(PeerId number, std::int64_t bytes) {
  Peer& peer = peers_[number];
  peer.held += static_cast<std::uint64_t>(bytes);
  bytes_ += bytes;
  const std::uint64_t change =
      peer.held > peer.held_published ? peer.held - peer.held_published : peer.held_published - peer.held;
  if (change < kHeldStep) return;
  peer.held_published = peer.held;
  peer.transport->publish_held(peer.address, peer.held);
}

void UnexpectedMessages::drop(UnexpectedMessage& message) {
  remove(message);
  discard(message);
}

void UnexpectedMessages::discard(UnexpectedMessage& message) {
  release(message);
  recycle(message);
}

bool UnexpectedMessages::take_back(PeerId peer, std::uint64_t sender_cookie) {
  UnexpectedMessage* found = nullptr;
  for_each([&](UnexpectedMessage& message) {
    const bool has_cookie = message.kind == PacketKind::kAnnounce || message.kind == PacketKind::kEagerSync;
    const bool is_it = message.peer == peer && has_cookie && message.sender_cookie == sender_cookie;
    if (is_it && found == nullptr) found = &message;
  });
  if (found != nullptr) drop(*found);
  return found != nullptr;
}

void UnexpectedMessages::forget(const Peers::Numbers& peers) {
  for_each([&](UnexpectedMessage& message) {
    if (!peers.has(message.peer)) return;
    remove(message);
    bytes_ -= static_cast<std::int64_t>(message.held());
    recycle(message);
  });
}

}  // namespace starling::p2p
