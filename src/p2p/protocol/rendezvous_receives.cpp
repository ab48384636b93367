// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/rendezvous_receives.hpp"

#include <sched.h>

#include <algorithm>

#include "p2p/request/failures.hpp"

namespace starling::p2p {

using transport::CopyState;
using transport::SingleCopy;

void RendezvousReceives::begin(ReceiveRequest& request, const Announcement& announcement, std::uint64_t sender_cookie) {
  request.sender_cookie = sender_cookie;
  if (peers_[request.peer].dead) [[unlikely]]
    return requests_.fail(request, process_failed(request.completion.source));
  SingleCopy* single_copy = peers_[request.peer].transport->single_copy();
  const bool direct = single_copy && announcement.address != 0 && request.cursor->is_contiguous() &&
                      single_copy->permitted(request.peer);
  if (request.message_bytes != 0 && direct) return copy(request, announcement, *single_copy);
  const bool offered = announcement.descriptor != SingleCopy::kNoDescriptor;
  if (offered && !single_copy->refuse(request.peer, announcement.descriptor)) return post_again(request);
  if (request.message_bytes != 0) return ask_for_data(request);
  peers_.send_control(request.peer, PacketKind::kFetched, sender_cookie);
  requests_.complete(request);
}

void RendezvousReceives::copy(ReceiveRequest& request, const Announcement& announcement, SingleCopy& single_copy) {
  const auto bytes = static_cast<std::uint64_t>(request.completion.bytes);
  if (announcement.descriptor != SingleCopy::kNoDescriptor) {
    request.descriptor = announcement.descriptor;
    if (single_copy.open(request.peer, request.descriptor, request.cursor->memory(), bytes)) [[likely]] {
      copying_.push_back(&request);
    } else {
      post_again(request);
    }
  } else if (single_copy.read(request.peer, announcement.address, request.cursor->memory(), bytes)) {
    peers_.send_control(request.peer, PacketKind::kFetched, request.sender_cookie);
    requests_.complete(request);
  } else {
    ask_for_data(request);
  }
}

void RendezvousReceives::ask_for_data(ReceiveRequest& request) {
  peers_.send_control(request.peer, PacketKind::kClearToSend, request.sender_cookie,
                      ReceiveRequests::cookie_of(request));
}

void RendezvousReceives::decline(std::int32_t peer, const Announcement& announcement) {
  if (announcement.descriptor == SingleCopy::kNoDescriptor || peers_[peer].dead) return;
  peers_[peer].transport->single_copy()->decline(peer, announcement.descriptor);
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
    SingleCopy& single_copy = *peers_[request.peer].transport->single_copy();
    const CopyState state = single_copy.advance(request.peer, request.descriptor);
    if (state == CopyState::kMoved) return true;
    if (state == CopyState::kWaiting) {
      ++i;
      continue;
    }
    moved = true;
    copying_.erase(copying_.begin() + static_cast<std::ptrdiff_t>(i));
    if (state == CopyState::kDone) {
      single_copy.close(request.peer, request.descriptor);
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
  transport::Transport& transport = *peers_[request.peer].transport;
  SingleCopy& single_copy = *transport.single_copy();
  CopyState state = CopyState::kMoved;
  while (state == CopyState::kMoved || (state == CopyState::kWaiting && !transport.is_dead(request.peer))) {
    if (state == CopyState::kWaiting) sched_yield();
    state = single_copy.advance(request.peer, request.descriptor);
  }
  std::erase(copying_, &request);
  if (state == CopyState::kDone) {
    single_copy.close(request.peer, request.descriptor);
    requests_.complete(request);
  } else if (state == CopyState::kRefused) {
    ask_for_data(request);
    requests_.orphan(request, why);
  } else {
    requests_.fail(request, why);
  }
}

}  // namespace starling::p2p
