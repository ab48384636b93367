// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What receivers answer to announced and synchronous messages, and the sender's part in single copies.
#include <algorithm>

#include "p2p/protocol/sender.hpp"

namespace starling::p2p {

/// One piece of the first message that has any: the other end takes its next ones, and whoever waits for the first
/// message waits for no other.
bool Sender::help_copies() {
  bool moved = false;
  for (std::size_t i = 0; i < copying_.size();) {
    SendRequest& request = *copying_[i];
    const Peer& peer = peers_[request.peer];
    const auto state = peer.transport->single_copy()->help(peer.address, request.offer);
    if (state == transport::CopyState::kMoved) return true;
    if (state == transport::CopyState::kWaiting) {
      ++i;
      continue;
    }
    copying_.erase(copying_.begin() + static_cast<std::ptrdiff_t>(i));
    // After a refusal the receiver asks for the data; the offer is withdrawn then.
    if (state == transport::CopyState::kDone) {
      complete(request);
      moved = true;
    }
  }
  return moved;
}

void Sender::stop_copying(SendRequest& request) {
  if (request.offer.is_none()) return;
  copying_.erase(std::remove(copying_.begin(), copying_.end(), &request), copying_.end());
  const Peer& peer = peers_[request.peer];
  peer.transport->single_copy()->withdraw(peer.address, request.offer);
  request.offer = {};
}

SendRequest* Sender::find(std::uint64_t cookie) {
  const auto slot = static_cast<std::uint32_t>(cookie);
  if (slot >= pool_.made()) return nullptr;
  SendRequest& request = pool_[slot];
  return request.cookie() == cookie && request.phase != SendRequest::Phase::kDone ? &request : nullptr;
}

void Sender::on_clear_to_send(PeerId peer, std::uint64_t cookie, std::uint64_t receiver_cookie) {
  SendRequest* request = find(cookie);
  if (request == nullptr || (request->orphaned && !request->unsent)) [[unlikely]] {
    if (request != nullptr) end_orphan(*request);
    peers_.send_control(peer, PacketKind::kNoData, receiver_cookie);
    return;
  }
  stop_copying(*request);
  const Peer& refuser = peers_[peer];
  if (request->header.kind == static_cast<std::uint8_t>(PacketKind::kOffer) && refuser.copies) {
    refuser.copies->note_refused(request->bytes);
  }
  request->receiver_cookie = receiver_cookie;
  request->phase = SendRequest::Phase::kData;
  queue(*request);  // not sent from here: the caller is taking packets, and its answer may wait for the next poll
}

void Sender::on_fetched(std::uint64_t cookie) {
  SendRequest* request = find(cookie);
  if (request == nullptr) [[unlikely]]
    return;
  stop_copying(*request);
  complete(*request);
}

void Sender::on_cancel_reply(std::uint64_t cookie, bool taken_back) {
  SendRequest* request = find(cookie);
  // Not taken back: it was matched, and its own protocol goes on; or it was dropped, and only an orphan waits for this.
  if (request == nullptr || !(taken_back || request->orphaned)) return;
  stop_copying(*request);
  request->completion.cancelled = !request->orphaned;
  complete(*request);
}

}  // namespace starling::p2p
