// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// UnexpectedMessage: a message, or the announcement of one, that waits for its receive.
#pragma once

#include <memory>
#include <vector>

#include "p2p/matching/unexpected_queue.hpp"
#include "p2p/protocol/packets.hpp"

namespace starling::p2p {

struct UnexpectedMessage : UnexpectedEntry {
  PeerId peer;  ///< the sender
  PacketKind kind = PacketKind::kEager;
  std::int64_t bytes = 0;           ///< of the whole message
  std::uint64_t sender_cookie = 0;  ///< of announced and synchronous messages
  transport::CopyOffer offer;       ///< of announced messages
  std::vector<std::byte> data;      ///< what has arrived of it
  bool streaming = false;           ///< more is to come
  bool matched = false;             ///< a matched probe has taken it out of the queue
  bool unwanted = false;            ///< is dropped when all of it has come

  /// What it costs to keep; an announcement costs its sender no credit.
  [[nodiscard]] std::uint64_t held() const noexcept {
    return kind == PacketKind::kAnnounce ? 0 : static_cast<std::uint64_t>(bytes) + 64;
  }
};

}  // namespace starling::p2p
