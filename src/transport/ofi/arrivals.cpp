// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/arrivals.hpp"

#include <cstddef>
#include <cstring>

namespace starling::transport::ofi {

void Arrivals::try_again() {
  std::vector<Buffer*> unposted;
  unposted.swap(unposted_);
  for (Buffer* const buffer : unposted) receive_with(*buffer);
}

void Arrivals::deliver(Sink& sink) {
  while (!arrived_.empty()) {
    Buffer& buffer = *arrived_.front();
    arrived_.pop_front();
    deliver(buffer, sink);
    receive_with(buffer);
  }
}

void Arrivals::deliver(Buffer& buffer, Sink& sink) {
  Frame frame;
  if (buffer.bytes < sizeof frame) return;
  std::memcpy(&frame, buffer.data, sizeof frame);
  const bool is_rank = frame.from >= 0 && static_cast<std::size_t>(frame.from) < peers_.size();
  OfiPeer* const peer = is_rank ? peers_.find(Address(frame.from)) : nullptr;
  if (peer == nullptr || frame.token != token_) {
    ++strangers_;
    return;
  }
  if (peer->state == OfiPeer::State::kDead) return;
  const std::span<const std::byte> payload(buffer.data + sizeof frame, buffer.bytes - sizeof frame);
  const std::uint32_t ahead = frame.number - static_cast<std::uint32_t>(peer->received + 1);
  if (ahead != 0) {
    if (ahead >> 31 == 0) peer->too_early[peer->received + 1 + ahead].assign(buffer.data, buffer.data + buffer.bytes);
    return;
  }
  host_.on_frame(*peer, frame, payload, sink);
  while (!peer->too_early.empty() && peer->too_early.begin()->first == peer->received + 1) {
    const auto kept = peer->too_early.extract(peer->too_early.begin());
    std::memcpy(&frame, kept.mapped().data(), sizeof frame);
    host_.on_frame(*peer, frame, std::span(kept.mapped()).subspan(sizeof frame), sink);
  }
}

void Arrivals::deliver_from(Address peer, Sink& sink) {
  std::deque<Buffer*> arrived;
  arrived.swap(arrived_);
  for (Buffer* const buffer : arrived) {
    std::int32_t from = -1;
    if (buffer->bytes >= sizeof(Frame)) std::memcpy(&from, buffer->data + offsetof(Frame, from), sizeof from);
    if (from != peer.value) {
      arrived_.push_back(buffer);
      continue;
    }
    deliver(*buffer, sink);
    receive_with(*buffer);
  }
}

}  // namespace starling::transport::ofi
