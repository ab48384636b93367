// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Frame: what goes before each payload over the fabric. Introduction: what two ranks tell each other over TCP before.
// Thread safety: values. Layout: as sent, in the byte order of the machine; the handshake of TCP refuses another one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/tcp/frame.hpp"
#include "transport/transport.hpp"

namespace starling::transport::ofi {

enum class FrameType : std::uint8_t {
  kPacket,
  kAsk,      ///< to be answered, so that the sender learns what has been seen
  kNothing,  ///< nothing but what its other fields say
  kCopied,   ///< the receiver's memory has been read; words: its offer
};

struct Frame {
  FrameType type = FrameType::kPacket;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint8_t unused = 0;
  std::uint32_t token = 0;   ///< the receiver's, as its introduction said
  std::int32_t from = 0;     ///< world rank of the sender
  std::uint32_t number = 0;  ///< among the frames of its sender to this receiver, from 1 on, modulo 2^32
  std::uint32_t seen = 0;    ///< the last number that the sender has taken of the receiver's
  std::uint32_t context_id = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;
  std::uint32_t held = 0;  ///< see tcp::packed_held
  std::uint32_t unused_too = 0;
  std::uint64_t words[2] = {0, 0};

  [[nodiscard]] PacketHeader header() const noexcept { return {kind, flags, context_id, tag, source}; }
};
static_assert(sizeof(Frame) == 56, "sent between processes");

inline Frame frame_of(const PacketHeader& header, const std::uint64_t (&words)[2]) noexcept {
  Frame frame;
  frame.kind = header.kind;
  frame.flags = header.flags;
  frame.context_id = header.context_id;
  frame.tag = header.tag;
  frame.source = header.source;
  frame.words[0] = words[0];
  frame.words[1] = words[1];
  return frame;
}

/// Of a packet with its frame. Providers over TCP send longer ones in another, slower way.
inline constexpr std::size_t kPacketBytes = 16 * 1024;

/// Where a rank is in the fabric.
struct Introduction {
  std::uint32_t token = 0;
  std::uint32_t format = 0;  ///< of the address, as libfabric numbers them
  std::uint32_t address_bytes = 0;
  char provider[52] = {};
  std::byte address[192] = {};
};
static_assert(sizeof(Introduction) == 256, "sent between processes");

/// The kind of the packet that carries it over TCP; no packet of p2p has it.
inline constexpr std::uint8_t kIntroduction = 255;

}  // namespace starling::transport::ofi
