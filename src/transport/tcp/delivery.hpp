// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the connections of a TcpTransport have read on its way to the sink. Thread safety: the world's lock.
#pragma once

#include <span>

#include "observe/packet_counts.hpp"
#include "transport/tcp/incoming.hpp"
#include "transport/tcp/tcp_peers.hpp"
#include "transport/transport.hpp"

namespace starling::transport::tcp {

/// Hands on the packets of one peer.
class Packets final : public FrameSink {
 public:
  Packets(TcpPeer& peer, Sink& sink, observe::PacketCounts& counts) noexcept
      : peer_(peer), sink_(sink), counts_(counts) {}

  void on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed) override {
    const Packet packet{frame.header(), {frame.words[0], frame.words[1]}, payload};
    placed ? sink_.on_placed(peer_.number, packet) : sink_.on_packet(peer_.number, packet);
    counts_.takes();
  }
  std::byte* destination(const Frame& frame) override {
    return sink_.destination(peer_.number, frame.header(), frame.words, frame.bytes);
  }

 private:
  TcpPeer& peer_;
  Sink& sink_;
  observe::PacketCounts& counts_;
};

/// Hands on what comes from one peer by one of its connections.
class Delivery final : public FrameSink {
 public:
  Delivery(TcpPeer& peer, Sink& sink, observe::PacketCounts& counts) noexcept
      : peer_(peer), packets_(peer, sink, counts) {}

  void on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed) override {
    if (frame.type != FrameType::kPiece) {
      peer_.connection->peer_has_ended = frame.type == FrameType::kGoodbye;
      if (frame.type != FrameType::kGoodbye) peer_.held_there = unpacked_held(frame.held);
    }
    switch (frame.type) {
      case FrameType::kPacket:
        if (!peer_.stripes) return packets_.on_frame(frame, payload, placed);
        [[fallthrough]];
      case FrameType::kStriped:
      case FrameType::kPiece:
        is_wrong_ |= !peer_.stripes || !peer_.stripes->receives.on_frame(frame, payload, placed, packets_);
        return;
      case FrameType::kTaken:
        if (peer_.stripes) peer_.stripes->sends.note_taken(frame.words[0]);
        return;
      case FrameType::kCredits:
      case FrameType::kGoodbye: return;
    }
  }

  std::byte* destination(const Frame& frame) override {
    if (peer_.stripes) return peer_.stripes->receives.destination(frame, packets_);
    return frame.type == FrameType::kPacket ? packets_.destination(frame) : nullptr;
  }

  /// What has come was not as agreed.
  [[nodiscard]] bool is_wrong() const noexcept { return is_wrong_; }

 private:
  TcpPeer& peer_;
  Packets packets_;
  bool is_wrong_ = false;
};

}  // namespace starling::transport::tcp
