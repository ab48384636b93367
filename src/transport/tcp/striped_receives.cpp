// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/striped_receives.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace starling::transport::tcp {
namespace {

/// Packets that may be under way, more than a sender begins.
constexpr std::uint64_t kMostAhead = 1024;

}  // namespace

bool StripedReceives::on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed,
                               FrameSink& packets) {
  if (frame.type == FrameType::kStriped) return on_head(frame, payload, packets);
  if (frame.type == FrameType::kPiece) return on_piece(frame, payload, packets);
  if (known_ == first_) {
    packets.on_frame(frame, payload, placed);
  } else {
    packets_[known_ - first_ - 1].behind.push_back({frame, {payload.begin(), payload.end()}});
  }
  return true;
}

std::byte* StripedReceives::destination(const Frame& frame, FrameSink& packets) {
  if (frame.type == FrameType::kPacket) return known_ == first_ ? packets.destination(frame) : nullptr;
  if (frame.type != FrameType::kPiece) return nullptr;
  if (!is_right(frame)) return nullptr;
  Assembly* const packet = find(frame.words[0]);
  if (packet == nullptr) return nullptr;
  Part& part = part_of(*packet, frame);
  if (part.state != Part::State::kMissing || part.bytes != frame.bytes) return nullptr;
  if (!part.memory && packet->has_begun) {
    if (frame.words[1] + frame.bytes > packet->frame.bytes) return nullptr;
    return memory_of(*packet, packets) + frame.words[1];
  }
  if (!part.memory) part.memory = std::make_unique_for_overwrite<std::byte[]>(frame.bytes);
  return part.memory.get();
}

bool StripedReceives::on_head(const Frame& frame, std::span<const std::byte> payload, FrameSink& packets) {
  StripedHead head;
  if (payload.size() != sizeof head) return false;
  std::memcpy(&head, payload.data(), sizeof head);
  if (head.number != known_ || head.bytes == 0 || head.bytes > longest_) return false;
  Assembly* const packet = find(head.number);
  if (packet == nullptr) return false;
  packet->frame = frame;
  packet->frame.type = FrameType::kPacket;
  packet->frame.pad = 0;
  packet->frame.bytes = static_cast<std::uint32_t>(head.bytes);
  packet->is_known = true;
  ++known_;
  if (packet == &packets_.front()) {
    begin(*packet, packets);
    advance(packets);
  }
  return true;
}

bool StripedReceives::on_piece(const Frame& frame, std::span<const std::byte> payload, FrameSink& packets) {
  if (!is_right(frame)) return false;
  Assembly* const packet = find(frame.words[0]);
  if (packet == nullptr) return frame.words[0] < first_;
  Part& part = part_of(*packet, frame);
  if (part.state != Part::State::kMissing) return true;
  std::byte* const target = destination(frame, packets);
  if (target == nullptr) return false;
  if (target != payload.data()) std::copy(payload.begin(), payload.end(), target);
  packet->arrived += frame.bytes;
  part.state = Part::State::kKept;
  if (packet->has_begun) {
    if (const auto early = std::exchange(part.memory, nullptr))
      std::copy_n(early.get(), part.bytes, memory_of(*packet, packets) + frame.words[1]);
    part.state = Part::State::kTaken;
    advance(packets);
  }
  return true;
}

StripedReceives::Assembly* StripedReceives::find(std::uint64_t number) {
  if (number < first_ || number - first_ >= kMostAhead) return nullptr;
  while (packets_.size() <= number - first_) packets_.emplace_back();
  return &packets_[number - first_];
}

StripedReceives::Part& StripedReceives::part_of(Assembly& packet, const Frame& piece) {
  // A piece that comes twice is the same both times.
  const auto known = std::ranges::find(packet.parts, piece.words[1], &Part::at);
  if (known != packet.parts.end()) return *known;
  Part& part = packet.parts.emplace_back();
  part.at = piece.words[1];
  part.bytes = piece.bytes;
  return part;
}

bool StripedReceives::is_right(const Frame& piece) const noexcept {
  return piece.words[1] % kPieceBytes == 0 && piece.bytes != 0 && piece.words[1] < longest_ &&
         piece.words[1] + piece.bytes <= longest_;
}

void StripedReceives::begin(Assembly& packet, FrameSink& packets) {
  packet.has_begun = true;
  packet.memory = packets.destination(packet.frame);
  packet.is_placed = packet.memory != nullptr;
  if (!packet.is_placed) {
    packet.own = std::make_unique_for_overwrite<std::byte[]>(packet.frame.bytes);
    packet.memory = packet.own.get();
  }
  for (Part& part : packet.parts) {
    if (part.state != Part::State::kKept || part.at + part.bytes > packet.frame.bytes) continue;
    const auto early = std::exchange(part.memory, nullptr);
    std::copy_n(early.get(), part.bytes, packet.memory + part.at);
    part.state = Part::State::kTaken;
  }
}

std::byte* StripedReceives::memory_of(Assembly& packet, FrameSink& packets) {
  if (packet.is_placed && !packet.own && packets.destination(packet.frame) != packet.memory) {
    packet.own = std::make_unique<std::byte[]>(packet.frame.bytes);  // for what nobody wants any more
    packet.memory = packet.own.get();
  }
  return packet.memory;
}

void StripedReceives::advance(FrameSink& packets) {
  while (!packets_.empty() && packets_.front().has_begun && packets_.front().arrived >= packets_.front().frame.bytes) {
    Assembly whole = std::move(packets_.front());
    packets_.pop_front();
    ++first_;
    packets.on_frame(whole.frame, {whole.memory, whole.frame.bytes}, whole.is_placed);
    for (const KeptPacket& kept : whole.behind) packets.on_frame(kept.frame, kept.payload, false);
    if (!packets_.empty() && packets_.front().is_known) begin(packets_.front(), packets);
  }
}

}  // namespace starling::transport::tcp
