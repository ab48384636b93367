// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/peers.hpp"

namespace starling::p2p {
namespace {

bool try_control(Peer& peer, std::int32_t rank, const ControlPacket& packet) {
  transport::PacketHeader header;
  header.kind = static_cast<std::uint8_t>(packet.kind);
  return peer.transport->try_send_words(rank, header, packet.words, nullptr, 0);
}

}  // namespace

Result<std::unique_ptr<Peers>> Peers::create(memory::JobSegment& segment, std::uint32_t rank,
                                             const config::Store& config) {
  std::unique_ptr<Peers> peers(new Peers(static_cast<std::int32_t>(rank), segment.rank(rank).doorbell));
  auto shm = transport::shm::ShmTransport::create(segment, rank, config);
  if (!shm.ok()) return std::move(shm).status();
  peers->shm_ = std::move(shm).value();
  peers->survives_ = segment.header().survives != 0;
  peers->all_ = std::vector<Peer>(segment.ranks());
  peers->of_job_ = peers->all_.size();
  for (Peer& peer : peers->all_) peer.transport = peers->shm_.get();
  peers->all_[rank].transport = &peers->self_;
  return peers;
}

Result<std::int32_t> Peers::attach(memory::JobSegment& segment, std::uint32_t place, std::uint32_t first_context,
                                   const config::Store& config) {
  auto shm = transport::shm::ShmTransport::create(segment, place, config);
  if (!shm.ok()) return std::move(shm).status();
  const Numbers numbers{static_cast<std::int32_t>(all_.size() + others_.size()),
                        static_cast<std::int32_t>(segment.ranks())};
  const transport::Renumbered::Numbers outer{numbers.first, first_context};
  transport::RemoteMemory& memory = shm.value()->remote_memory();
  auto transport = std::make_unique<transport::Renumbered>(std::move(shm).value(), outer);
  for (std::int32_t i = 0; i < numbers.count; ++i) {
    others_.push_back(std::make_unique<Peer>());
    others_.back()->transport = transport.get();
  }
  attachments_.push_back({std::move(transport), numbers, &memory});
  return numbers.first;
}

Peers::Numbers Peers::attached_with(std::int32_t first) const {
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first == first) return attached.numbers;
  }
  return {first, 0};
}

void Peers::detach(std::int32_t first) {
  const Numbers numbers = attached_with(first);
  std::erase_if(backlog, [&](std::int32_t number) { return numbers.has(number); });
  std::erase_if(attachments_, [&](const Attachment& attached) { return attached.numbers.first == first; });
  for (std::int32_t i = 0; i < numbers.count; ++i) {
    others_[static_cast<std::size_t>(numbers.first + i) - all_.size()].reset();
  }
}

Peers::Holder Peers::holder(std::int32_t peer) noexcept {
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.has(peer)) return {*attached.memory, peer - attached.numbers.first};
  }
  return {shm_->remote_memory(), peer};
}

bool Peers::permitted(std::int32_t peer) {
  const Holder at = holder(peer);
  return at.memory.permitted(at.number);
}

bool Peers::gather(std::int32_t peer, std::span<const transport::RemoteRun> from, void* to) {
  const Holder at = holder(peer);
  return at.memory.gather(at.number, from, to);
}

bool Peers::scatter(std::int32_t peer, const void* from, std::span<const transport::RemoteRun> to) {
  const Holder at = holder(peer);
  return at.memory.scatter(at.number, from, to);
}

void Peers::send_control(std::int32_t rank, PacketKind kind, std::uint64_t first, std::uint64_t second) {
  Peer& peer = (*this)[rank];
  if (peer.dead) [[unlikely]]
    return;
  const ControlPacket packet{kind, {first, second}};
  if (peer.controls.empty() && try_control(peer, rank, packet)) return;
  peer.controls.push_back(packet);
  note_backlog(rank);
}

void Peers::note_backlog(std::int32_t rank) {
  Peer& peer = (*this)[rank];
  if (peer.has_backlog) return;
  peer.has_backlog = true;
  backlog.push_back(rank);
}

bool Peers::flush_controls(std::int32_t rank) {
  Peer& peer = (*this)[rank];
  while (!peer.controls.empty()) {
    if (!try_control(peer, rank, peer.controls.front())) return false;
    peer.controls.pop_front();
  }
  return true;
}

}  // namespace starling::p2p
