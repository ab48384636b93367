// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ControlTraffic: sends control messages in order, keeps those that find no room, and hands on those that arrive.
// Thread safety: the world's lock.
#pragma once

#include <list>
#include <utility>

#include "p2p/protocol/control_message.hpp"
#include "p2p/protocol/peers.hpp"

namespace starling::p2p {

class ControlTraffic {
 public:
  explicit ControlTraffic(Peers& peers) noexcept : peers_(peers) {}

  /// Sends the message now or when there is room. To a dead peer: nothing.
  void send(PeerId peer, ControlMessage control);
  /// Sends what found no room; returns whether anything left.
  bool poll() { return !waiting_.empty() && flush(); }
  [[nodiscard]] bool idle() const noexcept { return waiting_.empty(); }
  /// Drops what waits for a peer that has died.
  void forget(PeerId peer);

  void listen(ControlListener listener) { listener_ = std::move(listener); }
  void on_control(PeerId peer, const transport::Packet& packet);

 private:
  bool try_send(PeerId peer, const ControlMessage& control);
  bool flush();

  Peers& peers_;
  std::list<std::pair<PeerId, ControlMessage>> waiting_;  ///< in order
  ControlListener listener_;
};

}  // namespace starling::p2p
