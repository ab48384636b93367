// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The packets of the point-to-point protocols: their kinds and what their two words mean.
//
//   short, medium   kEager                                       the whole message in one packet
//   pipelined       kFirst, kMore...                             one after the other, no answer awaited
//   copied once     kOffer                                       the receiver copies it at once, wanted or not
//   rendezvous      kAnnounce -> (single copy) | kFetched | kClearToSend -> kData...
//   synchronous     kEagerSync -> kMatched, or rendezvous
//   cancel          kCancel -> kCancelReply
//   given up        kClearToSend -> kNoData
// A cookie names a request in the process that will get it back; the other side only carries it. A sender's cookie
// names one use of a request: what comes back after that use is ignored.
#pragma once

#include <cstdint>

#include "p2p/matching/envelope.hpp"
#include "transport/transport.hpp"

namespace starling::p2p {

enum class PacketKind : std::uint8_t {
  kEager = 1,    ///< payload: the message
  kEagerSync,    ///< payload: the message; words: sender's cookie, -
  kFirst,        ///< payload: its first bytes; words: total bytes, -
  kMore,         ///< payload: the next bytes of the stream that kFirst began; words: -
  kOffer,        ///< as kAnnounce, of an eager message
  kAnnounce,     ///< payload: transport::CopyOffer; words: total bytes, sender's cookie
  kClearToSend,  ///< words: sender's cookie, receiver's cookie
  kData,         ///< payload: the next bytes; words: receiver's cookie, -
  kFetched,      ///< the receiver has read the message by itself; words: sender's cookie, -
  kMatched,      ///< a synchronous message has met its receive; words: sender's cookie, -
  kCancel,       ///< words: sender's cookie, -
  kCancelReply,  ///< words: sender's cookie, 1 when the message was taken back, 0 when it was matched or dropped before
  kNoData,       ///< the message asked for has been given up; words: receiver's cookie, -
  kControl,      ///< between the fault tolerance of two processes; words and payload are theirs
};

/// In the flags of what begins an eager message: its sender had the choice of the way (CopyChoice).
inline constexpr std::uint8_t kHadChoice = 1;

/// What a message is matched by.
[[nodiscard]] inline Envelope envelope_of(const transport::PacketHeader& header) noexcept {
  return {header.context_id, header.source, header.tag};
}

/// Whether a packet is the first of a message.
[[nodiscard]] inline bool begins_message(const transport::Packet& packet) noexcept {
  switch (static_cast<PacketKind>(packet.header.kind)) {
    case PacketKind::kEager:
    case PacketKind::kEagerSync:
    case PacketKind::kFirst:
    case PacketKind::kOffer:
    case PacketKind::kAnnounce: return true;
    default: return false;
  }
}

/// Bytes of the message that it begins.
[[nodiscard]] inline std::uint64_t bytes_of(const transport::Packet& packet) noexcept {
  switch (static_cast<PacketKind>(packet.header.kind)) {
    case PacketKind::kFirst:
    case PacketKind::kOffer:
    case PacketKind::kAnnounce: return packet.words[0];
    default: return packet.payload.size();
  }
}

}  // namespace starling::p2p
