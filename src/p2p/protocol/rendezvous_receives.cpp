// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/rendezvous_receives.hpp"

#include <sched.h>

#include <algorithm>

#include "p2p/request/failures.hpp"

namespace starling::p2p {

using transport::CopyOffer;
using transport::CopyState;
using transport::SingleCopy;

namespace {

/// An operand that both ends copy is ready sooner, but what the sender has copied lies in the sender's cache, from
/// where this rank fetches it again. So it copies those alone that fit its cache.
constexpr std::uint64_t kMostTaken = 256 * 1024;

}  // namespace

void RendezvousReceives::begin(ReceiveRequest& request, const CopyOffer& offer, std::uint64_t sender_cookie) {
  request.sender_cookie = sender_cookie;
  Peer& peer = peers_[request.peer];
  if (peer.dead) [[unlikely]]
    return requests_.fail(request, process_failed(request.completion.source));
  if (!offer.is_none()) {
    SingleCopy& single_copy = *peer.transport->single_copy();
    const bool direct = request.cursor->is_contiguous() && single_copy.permitted(peer.address);
    if (request.message_bytes != 0 && direct) return copy(request, offer, peer);
    if (single_copy.is_joint(offer) && !single_copy.refuse(peer.address, offer)) return post_again(request);
  }
  if (request.message_bytes != 0) return ask_for_data(request);
  peers_.send_control(request.peer, PacketKind::kFetched, sender_cookie);
  requests_.complete(request);
}

CopyState RendezvousReceives::take(PeerId number, const CopyOffer& offer, std::span<std::byte> destination,
                                   std::uint64_t sender_cookie) {
  const Peer& peer = peers_[number];
  if (peer.dead) [[unlikely]]
    return CopyState::kRefused;
  SingleCopy& single_copy = *peer.transport->single_copy();
  const bool permitted = single_copy.permitted(peer.address);
  if (single_copy.is_joint(offer)) {
    if (permitted) return single_copy.take(peer.address, offer, destination.data(), destination.size());
    return single_copy.refuse(peer.address, offer) ? CopyState::kRefused : CopyState::kGone;
  }
  if (!permitted || !single_copy.read(peer.address, offer, destination.data(), destination.size())) {
    return CopyState::kRefused;
  }
  peers_.send_control(number, PacketKind::kFetched, sender_cookie);
  return CopyState::kDone;
}

void RendezvousReceives::copy(ReceiveRequest& request, const CopyOffer& offer, Peer& peer) {
  const auto bytes = static_cast<std::uint64_t>(request.completion.bytes);
  SingleCopy& single_copy = *peer.transport->single_copy();
  if (single_copy.is_joint(offer)) {
    if (request.is_operand && bytes <= kMostTaken && single_copy.can_take()) return take(request, offer, peer);
    request.offer = offer;
    if (single_copy.open(peer.address, offer, request.cursor->memory(), bytes)) [[likely]] {
      copying_.push_back(&request);
    } else {
      post_again(request);
    }
  } else if (single_copy.read(peer.address, offer, request.cursor->memory(), bytes)) {
    peers_.send_control(request.peer, PacketKind::kFetched, request.sender_cookie);
    requests_.complete(request);
  } else {
    ask_for_data(request);
  }
}

/// All of it now, alone.
void RendezvousReceives::take(ReceiveRequest& request, const CopyOffer& offer, Peer& peer) {
  const auto bytes = static_cast<std::uint64_t>(request.completion.bytes);
  switch (peer.transport->single_copy()->take(peer.address, offer, request.cursor->memory(), bytes)) {
    case CopyState::kDone: return requests_.complete(request);
    case CopyState::kGone: return post_again(request);
    default: return ask_for_data(request);
  }
}

void RendezvousReceives::ask_for_data(ReceiveRequest& request) {
  peers_.send_control(request.peer, PacketKind::kClearToSend, request.sender_cookie,
                      ReceiveRequests::cookie_of(request));
}

void RendezvousReceives::decline(PeerId number, const CopyOffer& offer) {
  const Peer& peer = peers_[number];
  if (offer.is_none() || peer.dead) return;
  SingleCopy& single_copy = *peer.transport->single_copy();
  if (single_copy.is_joint(offer)) single_copy.decline(peer.address, offer);
}

void RendezvousReceives::post_again(ReceiveRequest& request) {
  request.message_bytes = 0;
  posted_.post(request);
}

/// One piece of the first message that has any, as in Sender::help_copies.
bool RendezvousReceives::advance() {
  bool moved = false;
  for (std::size_t i = 0; i < copying_.size();) {
    ReceiveRequest& request = *copying_[i];
    const Peer& peer = peers_[request.peer];
    SingleCopy& single_copy = *peer.transport->single_copy();
    const CopyState state = single_copy.advance(peer.address, request.offer);
    if (state == CopyState::kMoved) return true;
    if (state == CopyState::kWaiting) {
      ++i;
      continue;
    }
    moved = true;
    copying_.erase(copying_.begin() + static_cast<std::ptrdiff_t>(i));
    if (state == CopyState::kDone) {
      single_copy.close(peer.address, request.offer);
      requests_.complete(request);
    } else {
      ask_for_data(request);
    }
  }
  return moved;
}

bool RendezvousReceives::is_copying(const ReceiveRequest& request) const {
  return std::find(copying_.begin(), copying_.end(), &request) != copying_.end();
}

bool RendezvousReceives::is_copying_from(const Peers::Numbers& peers) const {
  return std::any_of(copying_.begin(), copying_.end(),
                     [&](const ReceiveRequest* request) { return peers.has(request->peer); });
}

/// The sender may be writing into the buffer: the copy is brought to its end, which is in our own hands but for the
/// piece that the sender is at.
void RendezvousReceives::finish(ReceiveRequest& request, const Status& why) {
  const Peer& peer = peers_[request.peer];
  SingleCopy& single_copy = *peer.transport->single_copy();
  CopyState state = CopyState::kMoved;
  while (state == CopyState::kMoved || (state == CopyState::kWaiting && !peer.transport->is_dead(peer.address))) {
    if (state == CopyState::kWaiting) sched_yield();
    state = single_copy.advance(peer.address, request.offer);
  }
  std::erase(copying_, &request);
  if (state == CopyState::kDone) {
    single_copy.close(peer.address, request.offer);
    requests_.complete(request);
  } else if (state == CopyState::kRefused) {
    ask_for_data(request);
    requests_.orphan(request, why);
  } else {
    requests_.fail(request, why);
  }
}

}  // namespace starling::p2p
