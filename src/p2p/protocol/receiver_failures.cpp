// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Receives that end because a process has died or a communicator was revoked. Nothing is written into the user's buffer
// afterwards: what still arrives finds the request orphaned and is dropped.
#include "p2p/protocol/receiver.hpp"
#include "p2p/request/failures.hpp"

namespace starling::p2p {

namespace {

bool waits_for_anybody(const ReceiveRequest& request) noexcept {
  return request.queued && request.pattern.source == kAnySource;
}

}  // namespace

void ReceiveRequest::give_up(const Status& why) {
  if (!complete()) receiver->give_up(*this, why);
}

void Receiver::mark_failed(PeerId number, const Status& why) {
  anybody_dead_ = true;
  Peer& peer = peers_[number];
  requests_.for_each([&](ReceiveRequest& request) {
    if (request.complete()) {
      if (request.orphaned && request.peer == number) requests_.complete(request);
    } else if (request.peer == number && !waits_for_anybody(request)) {
      if (request.queued) posted_.remove(request);
      rendezvous_.abandon(request);
      requests_.fail(request, why);
    }
  });
  peer.stream_receive = nullptr;
  peer.stream_unexpected = nullptr;
  unexpected_.for_each([&](UnexpectedMessage& message) {
    const bool incomplete = message.streaming || message.kind == PacketKind::kAnnounce;
    if (message.peer == number && incomplete) unexpected_.drop(message);
  });
}

void Receiver::interrupt(std::uint32_t context_id, const Status& why) {
  ended_.insert(context_id);
  requests_.for_each([&](ReceiveRequest& request) {
    if (!request.complete() && request.pattern.context_id == context_id) give_up(request, why);
  });
  unexpected_.for_each([&](UnexpectedMessage& message) {
    if (message.envelope.context_id != context_id) return;
    if (message.streaming) {
      message.unwanted = true;
      return;
    }
    if (message.kind == PacketKind::kAnnounce) rendezvous_.decline(message.peer, message.offer);
    unexpected_.drop(message);
  });
}

void Receiver::suspend_wildcards(std::uint32_t context_id, bool suspended) {
  requests_.for_each([&](ReceiveRequest& request) {
    if (!request.complete() && waits_for_anybody(request) && request.pattern.context_id == context_id) {
      request.suspend(suspended);
    }
  });
}

/// Of a receive that has just been posted.
void Receiver::refuse_to_wait(ReceiveRequest& request, const Message& message) {
  if (!waits_for_anybody(request)) {
    if (!peers_[request.peer].dead) return;
    posted_.remove(request);
    requests_.fail(request, process_failed(message.rank));
  } else if ((message.comm->condition() & comm::kUnacknowledged) != 0) {
    request.suspend(true);
  }
}

void Receiver::give_up(ReceiveRequest& request, const Status& why) {
  if (request.queued) {
    posted_.remove(request);
    requests_.fail(request, why);
  } else if (rendezvous_.is_copying(request)) {
    rendezvous_.finish(request, why);
  } else {
    requests_.orphan(request, why);
  }
}

}  // namespace starling::p2p
