// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/control_traffic.hpp"

#include <algorithm>

namespace starling::p2p {

void ControlTraffic::send(PeerId peer, ControlMessage control) {
  if (peers_[peer].dead) return;
  const bool first =
      std::none_of(waiting_.begin(), waiting_.end(), [&](const auto& waiting) { return waiting.first == peer; });
  if (!first || !try_send(peer, control)) waiting_.emplace_back(peer, std::move(control));
}

bool ControlTraffic::try_send(PeerId peer, const ControlMessage& control) {
  transport::PacketHeader header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kControl);
  header.context_id = control.context_id;
  header.tag = control.kind;
  header.source = control.source;
  const Peer& to = peers_[peer];
  return to.transport->try_send_words(to.address, header, control.words, control.payload.data(),
                                      control.payload.size());
}

bool ControlTraffic::flush() {
  bool moved = false;
  std::vector<PeerId> full;
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    const bool blocked = std::find(full.begin(), full.end(), waiting->first) != full.end();
    if (!blocked && try_send(waiting->first, waiting->second)) {
      waiting = waiting_.erase(waiting);
      moved = true;
    } else {
      if (!blocked) full.push_back(waiting->first);
      ++waiting;
    }
  }
  return moved;
}

void ControlTraffic::forget(PeerId peer) {
  std::erase_if(waiting_, [&](const auto& waiting) { return waiting.first == peer; });
}

void ControlTraffic::on_control(PeerId peer, const transport::Packet& packet) {
  if (!listener_) return;
  ControlMessage control{packet.header.context_id,
                         packet.header.tag,
                         packet.header.source,
                         {packet.words[0], packet.words[1]},
                         {packet.payload.begin(), packet.payload.end()}};
  listener_(peer, std::move(control));
}

}  // namespace starling::p2p
