// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Frame: what goes before each payload on a connection. Thread safety: a value.
// Layout: as sent, in the byte order of the machine; the handshake refuses another one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace starling::transport::tcp {

enum class FrameType : std::uint8_t {
  kPacket,
  kCredits,  ///< nothing but what it says of held bytes
  kGoodbye,  ///< the sender may end; a packet after it takes that back
  kStriped,  ///< a packet whose payload comes in pieces, by this and other connections; its own payload: StripedHead
  kPiece,    ///< of one; words: the number of its packet, and where it lies in the payload
  kTaken,    ///< words: how many such packets the sender of this has taken
};

struct Frame {
  FrameType type = FrameType::kPacket;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint8_t pad = 0;     ///< bytes that mean nothing between this header and the payload
  std::uint32_t bytes = 0;  ///< of the payload
  std::uint32_t context_id = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;
  std::uint32_t held = 0;  ///< see packed_held
  std::uint64_t words[2] = {0, 0};

  [[nodiscard]] PacketHeader header() const noexcept { return {kind, flags, context_id, tag, source}; }
};
static_assert(sizeof(Frame) == 40, "sent between processes");

/// What is told of a packet that comes in pieces.
struct StripedHead {
  std::uint64_t number = 0;  ///< of the packet among those that come so from its sender
  std::uint64_t bytes = 0;   ///< of its payload
};
static_assert(sizeof(StripedHead) == 16, "sent between processes");

/// Of the payload of a packet that is sent straight from where it lies, as the links take it.
inline constexpr std::size_t kLongestPacket = 4 * 1024 * 1024;

/// Of a piece that a lane takes; others are as long as several of these. The last of a packet is shorter.
inline constexpr std::size_t kPieceBytes = 128 * 1024;

/// A header with what is before a long payload. The system copies data into pages of its own and out of them, with an
/// instruction that takes some processors twenty times as long where the target lies less than 64 bytes behind the
/// source, both counted from the beginnings of their pages. Packets that find the system's memory unused begin with a
/// page, and long buffers lie at its beginning or, from malloc, 16 bytes behind it; so a payload that begins here is
/// far enough from both.
struct PaddedFrame {
  static constexpr std::size_t kBytes = 128;

  explicit PaddedFrame(const Frame& header) noexcept : frame(header) { frame.pad = kBytes - sizeof(Frame); }

  Frame frame;
  std::byte zeros[kBytes - sizeof(Frame)] = {};
};
static_assert(sizeof(PaddedFrame) == PaddedFrame::kBytes, "sent between processes");

inline Frame frame_of(const PacketHeader& header, const std::uint64_t (&words)[2], std::size_t bytes) noexcept {
  Frame frame;
  frame.kind = header.kind;
  frame.flags = header.flags;
  frame.bytes = static_cast<std::uint32_t>(bytes);
  frame.context_id = header.context_id;
  frame.tag = header.tag;
  frame.source = header.source;
  frame.words[0] = words[0];
  frame.words[1] = words[1];
  return frame;
}

inline Frame frame_of_piece(std::uint64_t packet, std::uint64_t at, std::size_t bytes) noexcept {
  Frame frame;
  frame.type = FrameType::kPiece;
  frame.bytes = static_cast<std::uint32_t>(bytes);
  frame.words[0] = packet;
  frame.words[1] = at;
  return frame;
}

// Bytes of the receiver's messages that the sender keeps: exact below 2 GiB, above that in pages, rounded up.
inline constexpr std::uint32_t kHeldInPages = 0x80000000;
inline constexpr std::uint64_t kHeldPage = 4096;

constexpr std::uint32_t packed_held(std::uint64_t bytes) noexcept {
  if (bytes < kHeldInPages) return static_cast<std::uint32_t>(bytes);
  const std::uint64_t pages = (bytes + kHeldPage - 1) / kHeldPage;
  return kHeldInPages | static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, kHeldInPages - 1));
}

constexpr std::uint64_t unpacked_held(std::uint32_t packed) noexcept {
  return (packed & kHeldInPages) == 0 ? packed : (packed & ~kHeldInPages) * kHeldPage;
}

}  // namespace starling::transport::tcp
