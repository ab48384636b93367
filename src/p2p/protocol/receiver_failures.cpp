// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Receives that end because a process has died or a communicator was revoked. Nothing is written into the user's buffer
// afterwards: what still arrives finds the request orphaned and is dropped.
#include <sched.h>

#include <algorithm>

#include "p2p/protocol/receiver.hpp"

namespace starling::p2p {

namespace {

bool waits_for_anybody(const ReceiveRequest& request) noexcept {
  return request.queued && request.pattern.source == kAnySource;
}

}  // namespace

void ReceiveRequest::give_up(const Status& why) {
  if (!complete()) receiver->give_up(*this, why);
}

void Receiver::mark_failed(std::int32_t number, const Status& why) {
  anybody_dead_ = true;
  Peer& peer = peers_[number];
  pool_.for_each([&](ReceiveRequest& request) {
    if (request.complete()) {
      if (request.orphaned && request.peer == number) complete(request);
    } else if (request.peer == number && !waits_for_anybody(request)) {
      if (request.queued) posted_.remove(request);
      std::erase(copying_, &request);
      fail(request, why);
    }
  });
  peer.stream_receive = nullptr;
  peer.stream_unexpected = nullptr;
  for (Arrived* entry = unexpected_.front(); entry != nullptr;) {
    auto& message = static_cast<UnexpectedMessage&>(*entry);
    entry = entry->order.next;
    if (message.peer == number && (message.streaming || message.kind == PacketKind::kAnnounce)) drop(message);
  }
}

void Receiver::interrupt(std::uint32_t context_id, const Status& why) {
  ended_.insert(context_id);
  pool_.for_each([&](ReceiveRequest& request) {
    if (!request.complete() && request.pattern.context_id == context_id) give_up(request, why);
  });
  for (Arrived* entry = unexpected_.front(); entry != nullptr;) {
    auto& message = static_cast<UnexpectedMessage&>(*entry);
    entry = entry->order.next;
    if (message.envelope.context_id != context_id) continue;
    if (message.streaming) {
      message.unwanted = true;
      continue;
    }
    if (message.kind == PacketKind::kAnnounce) decline(message.peer, message.announcement);
    drop(message);
  }
}

void Receiver::decline(std::int32_t peer, const Announcement& announcement) {
  if (announcement.descriptor == transport::SingleCopy::kNoDescriptor || peers_[peer].dead) return;
  peers_[peer].transport->single_copy()->decline(peer, announcement.descriptor);
}

/// Of a receive whose message its sender has given up, for a reason that will be told here, too.
void Receiver::wait_in_vain(ReceiveRequest& request) {
  request.message_bytes = 0;
  posted_.post(request);
}

bool Receiver::busy_in(std::uint32_t context_id) {
  bool busy = false;
  if (pool_.in_use() == 0) return busy;
  pool_.for_each(
      [&](const ReceiveRequest& request) { busy |= !request.complete() && request.pattern.context_id == context_id; });
  return busy;
}

void Receiver::suspend_wildcards(std::uint32_t context_id, bool suspended) {
  pool_.for_each([&](ReceiveRequest& request) {
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
    fail(request, process_failed(message.rank));
  } else if ((message.comm->condition() & comm::kUnacknowledged) != 0) {
    request.suspend(true);
  }
}

void Receiver::give_up(ReceiveRequest& request, const Status& why) {
  if (request.queued) {
    posted_.remove(request);
    return fail(request, why);
  }
  if (std::find(copying_.begin(), copying_.end(), &request) != copying_.end()) return finish_copy(request, why);
  orphan(request, why);
}

/// Its sender may be writing into the buffer: the copy is brought to its end, which is in our own hands but for the
/// piece that the sender is at.
void Receiver::finish_copy(ReceiveRequest& request, const Status& why) {
  transport::Transport& transport = *peers_[request.peer].transport;
  transport::SingleCopy& copy = *transport.single_copy();
  transport::CopyState state = transport::CopyState::kMoved;
  while (state == transport::CopyState::kMoved ||
         (state == transport::CopyState::kWaiting && !transport.is_dead(request.peer))) {
    if (state == transport::CopyState::kWaiting) sched_yield();
    state = copy.advance(request.peer, request.descriptor);
  }
  std::erase(copying_, &request);
  if (state == transport::CopyState::kDone) {
    copy.close(request.peer, request.descriptor);
    complete(request);
  } else if (state == transport::CopyState::kRefused) {
    ask_for_data(request);
    orphan(request, why);
  } else {
    fail(request, why);
  }
}

void Receiver::fail(ReceiveRequest& request, const Status& why) {
  request.message_bytes = 0;
  request.completion.bytes = 0;
  request.failure = why.copy();
  complete(request);
}

void Receiver::orphan(ReceiveRequest& request, const Status& why) {
  request.orphaned = true;
  request.failure = why.copy();
  request.completion.bytes = 0;
  request.type = {};
  request.finish();
}

void Receiver::drop(UnexpectedMessage& message) {
  unexpected_.remove(message);
  discard(message);
}

void Receiver::discard(UnexpectedMessage& message) {
  change_held(message.peer, -static_cast<std::int64_t>(message.held()));
  recycle(message);
}

}  // namespace starling::p2p
