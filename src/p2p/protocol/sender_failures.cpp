// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sends that end because a process has died or a communicator was revoked. Nothing that the receiver may still do can
// reach the user's buffer afterwards; what it may still ask for or acknowledge finds the request orphaned.
#include <sched.h>

#include "p2p/protocol/sender.hpp"

namespace starling::p2p {

void SendRequest::give_up(const Status& why) {
  if (!complete()) sender->give_up(*this, why);
}

void Sender::mark_failed(PeerId peer, const Status& why) {
  pool_.for_each([&](SendRequest& request) {
    if (request.phase == SendRequest::Phase::kDone || request.peer != peer) return;
    if (request.linked()) request.unlink();
    stop_copying(request);
    if (request.orphaned) return end_orphan(request);
    fail(request, why);
  });
}

void Sender::interrupt(std::uint32_t context_id, const Status& why) {
  pool_.for_each([&](SendRequest& request) {
    if (request.phase == SendRequest::Phase::kDone || request.orphaned) return;
    if (request.header.context_id == context_id) give_up(request, why);
  });
}

bool Sender::busy_in(std::uint32_t context_id) {
  bool busy = false;
  if (in_flight_ == 0) return busy;
  pool_.for_each(
      [&](const SendRequest& request) { busy |= !request.complete() && request.header.context_id == context_id; });
  return busy;
}

void Sender::give_up(SendRequest& request, const Status& why) {
  switch (request.phase) {
    case SendRequest::Phase::kFresh:
      if (request.linked()) request.unlink();
      fail(request, why);
      return;
    case SendRequest::Phase::kStreaming:
    case SendRequest::Phase::kData:
      // The receiver waits for all of it, or would take later messages for the missing part.
      keep_unsent(request);
      orphan(request, why);
      return;
    case SendRequest::Phase::kAnnounced:
      if (!request.offer.is_none()) return give_up_copy(request, why);
      [[fallthrough]];
    case SendRequest::Phase::kSync:
      orphan(request, why);
      peers_.send_control(request.peer, PacketKind::kCancel, request.cookie());
      return;
    case SendRequest::Phase::kDone: return;
  }
}

/// A receiver that has begun to copy is in the library or will be: the copy is helped to its end.
void Sender::give_up_copy(SendRequest& request, const Status& why) {
  const Peer& peer = peers_[request.peer];
  transport::SingleCopy& single_copy = *peer.transport->single_copy();
  while (true) {
    const transport::CopyState state = single_copy.take_back(peer.address, request.offer);
    if (state == transport::CopyState::kMoved) continue;
    if (state == transport::CopyState::kWaiting && !peer.transport->is_dead(peer.address)) {
      sched_yield();
      continue;
    }
    std::erase(copying_, &request);
    if (state == transport::CopyState::kDone) return complete(request);
    if (state == transport::CopyState::kRefused) {
      // The receiver asks for the data another way, and the offer is withdrawn then.
      keep_unsent(request);
      return orphan(request, why);
    }
    if (state != transport::CopyState::kGone) single_copy.withdraw(peer.address, request.offer);
    request.offer = {};
    return fail(request, why);
  }
}

/// What is still to be sent moves to memory of the request's own.
void Sender::keep_unsent(SendRequest& request) {
  const auto bytes = static_cast<std::size_t>(request.cursor->remaining());
  request.unsent = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(bytes, 1));
  request.cursor->pack(request.unsent.get(), bytes);
  request.cursor.emplace(datatype::byte_type(), request.unsent.get(), static_cast<std::int64_t>(bytes));
}

void Sender::fail(SendRequest& request, const Status& why) {
  request.failure = why.copy();
  complete(request);
}

void Sender::orphan(SendRequest& request, const Status& why) {
  request.orphaned = true;
  request.failure = why.copy();
  request.completion.bytes = request.bytes;
  request.type = {};
  --in_flight_;
  --peers_[request.peer].sends;
  request.finish();
}

void Sender::end_orphan(SendRequest& request) {
  request.orphaned = false;
  request.phase = SendRequest::Phase::kDone;
  request.unsent.reset();
  if (request.disposed) pool_.give(&request);
}

}  // namespace starling::p2p
