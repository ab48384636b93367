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
  peers->all_ = std::vector<Peer>(segment.ranks());
  for (Peer& peer : peers->all_) peer.transport = peers->shm_.get();
  peers->all_[rank].transport = &peers->self_;
  return peers;
}

void Peers::send_control(std::int32_t rank, PacketKind kind, std::uint64_t first, std::uint64_t second) {
  Peer& peer = (*this)[rank];
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
