// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/peers.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "transport/choose/list.hpp"
#include "transport/decorators/shifted_contexts.hpp"
#include "transport/shm/shm_transport.hpp"

namespace starling::p2p {
namespace {

STARLING_CONFIG(eager_bytes, "EAGER_LIMIT", std::int64_t, 32 * 1024, kMessages, kProcess,
                "Largest message, bytes, that is sent without asking the receiver first; longer ones are announced and "
                "copied or sent once matched (rendezvous).");

bool try_control(Peer& peer, const ControlPacket& packet) {
  transport::PacketHeader header;
  header.kind = static_cast<std::uint8_t>(packet.kind);
  return peer.transport->try_send_words(peer.address, header, packet.words, nullptr, 0);
}

Status unreachable(const transport::Surroundings& surroundings, WorldRank rank) {
  const memory::Placement& placement = surroundings.placement;
  return Status::error(
      ErrorClass::kOther,
      formatted("rank {} on node {} cannot reach rank {} on node {}: no transport joins the two nodes. "
                "Start the job on one node",
                surroundings.rank.value, placement.own_node(), rank.value, placement.node_of(rank)));
}

}  // namespace

Peers::Peers(const transport::Surroundings& surroundings, std::int64_t eager_limit)
    : survives_(surroundings.segment.header().survives != 0),
      eager_limit_(eager_limit),
      smallest_max_payload_(std::numeric_limits<std::size_t>::max()),
      all_(static_cast<std::size_t>(surroundings.placement.size())),
      of_job_(all_.size()) {}

Result<std::unique_ptr<Peers>> Peers::create(const transport::Surroundings& surroundings) {
  std::unique_ptr<Peers> peers(new Peers(surroundings, surroundings.config.get(eager_bytes)));
  STARLING_TRY(peers->reach_all(surroundings));
  return peers;
}

Status Peers::reach_all(const transport::Surroundings& surroundings) {
  for (const transport::TransportKind& kind : transport::transport_kinds()) {
    transport::Transport* made = nullptr;
    for (std::size_t rank = 0; rank < of_job_; ++rank) {
      if (all_[rank].transport != nullptr) continue;
      const auto address = kind.reaches(surroundings, WorldRank(rank));
      if (!address) continue;
      if (made == nullptr) {
        auto transport = kind.create(surroundings);
        if (!transport.ok()) return std::move(transport).status();
        made = &add(std::move(transport).value());
      }
      reach(all_[rank], *made, *address);
    }
  }
  for (std::size_t rank = 0; rank < of_job_; ++rank) {
    if (all_[rank].transport == nullptr) return unreachable(surroundings, WorldRank(rank));
  }
  sort_transports(surroundings);
  return {};
}

void Peers::sort_transports(const transport::Surroundings& surroundings) {
  self_ = all_[surroundings.rank.index()].transport;
  for (std::size_t rank = 0; rank < of_job_; ++rank) {
    transport::Transport* const transport = all_[rank].transport;
    if (transport == self_ || transport == node_) continue;
    if (node_ == nullptr && surroundings.placement.is_here(WorldRank(rank))) {
      std::erase(others_polled_, transport);
      node_ = transport;
    } else if (std::ranges::find(others_polled_, transport) == others_polled_.end()) {
      others_polled_.push_back(transport);
    }
  }
}

bool Peers::poll_others(transport::Sink& sink) {
  bool moved = false;
  // By index: a completion may add peers, and a transport with them.
  for (std::size_t i = 0; i < others_polled_.size(); ++i) moved |= others_polled_[i]->poll(sink);
  return moved;
}

void Peers::reach(Peer& peer, transport::Transport& transport, transport::Address address) const {
  peer.transport = &transport;
  peer.address = address;
  peer.limits = transport.limits();
  peer.short_bytes = std::min(eager_limit_, static_cast<std::int64_t>(peer.limits.max_payload));
}

transport::Transport& Peers::add(std::unique_ptr<transport::Transport> transport) {
  smallest_max_payload_ = std::min(smallest_max_payload_, transport->limits().max_payload);
  transports_.push_back(std::move(transport));
  return *transports_.back();
}

Result<PeerId> Peers::attach(memory::JobSegment& segment, LocalRank own, std::uint32_t first_context,
                             const config::Store& config) {
  const Numbers numbers{PeerId(all_.size() + others_.size()), static_cast<std::int32_t>(segment.ranks())};
  std::vector<PeerId> reported;
  for (std::int32_t i = 0; i < numbers.count; ++i) reported.emplace_back(numbers.first.value + i);
  auto shm = transport::shm::ShmTransport::create(segment, own, std::move(reported), config);
  if (!shm.ok()) return std::move(shm).status();
  transport::Transport& transport =
      add(std::make_unique<transport::ShiftedContexts>(std::move(shm).value(), first_context));
  for (std::uint32_t i = 0; i < segment.ranks(); ++i) {
    others_.push_back(std::make_unique<Peer>());
    reach(*others_.back(), transport, transport::shm::address_of(LocalRank(i)));
  }
  others_polled_.push_back(&transport);
  attachments_.push_back({&transport, numbers});
  return numbers.first;
}

Peers::Numbers Peers::attached_with(PeerId first) const {
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first == first) return attached.numbers;
  }
  return {first, 0};
}

void Peers::detach(PeerId first) {
  const Numbers numbers = attached_with(first);
  std::erase_if(backlog, [&](PeerId number) { return numbers.has(number); });
  for (const Attachment& attached : attachments_) {
    if (attached.numbers.first != first) continue;
    std::erase(others_polled_, attached.transport);
    std::erase_if(transports_, [&](const auto& transport) { return transport.get() == attached.transport; });
  }
  std::erase_if(attachments_, [&](const Attachment& attached) { return attached.numbers.first == first; });
  for (std::int32_t i = 0; i < numbers.count; ++i) {
    others_[numbers.first.index() + static_cast<std::size_t>(i) - of_job_].reset();
  }
}

bool Peers::flush() {
  bool all = true;
  for (const auto& transport : transports_) all &= transport->flush();
  return all;
}

void Peers::send_control(PeerId number, PacketKind kind, std::uint64_t first, std::uint64_t second) {
  Peer& peer = (*this)[number];
  if (peer.dead) [[unlikely]]
    return;
  const ControlPacket packet{kind, {first, second}};
  if (peer.controls.empty() && try_control(peer, packet)) return;
  peer.controls.push_back(packet);
  note_backlog(number);
}

void Peers::note_backlog(PeerId number) {
  Peer& peer = (*this)[number];
  if (peer.has_backlog) return;
  peer.has_backlog = true;
  backlog.push_back(number);
}

bool Peers::flush_controls(PeerId number) {
  Peer& peer = (*this)[number];
  while (!peer.controls.empty()) {
    if (!try_control(peer, peer.controls.front())) return false;
    peer.controls.pop_front();
  }
  return true;
}

}  // namespace starling::p2p
