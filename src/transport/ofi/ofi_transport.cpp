// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/ofi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::transport::ofi {
namespace {

/// For what comes from anybody.
constexpr std::size_t kBuffersToReceive = 64;

}  // namespace

Result<std::unique_ptr<OfiTransport>> OfiTransport::create(std::unique_ptr<tcp::TcpTransport> tcp,
                                                           std::unique_ptr<Fabric> fabric, const tcp::Roster& roster,
                                                           const Settings& settings, WorldRank rank, PeerId first_peer,
                                                           observe::PacketCounts counts) {
  Result<tcp::EventSet> events = tcp::EventSet::create();
  if (!events.ok()) return std::move(events).status();
  std::unique_ptr<OfiTransport> made(new OfiTransport(std::move(tcp), std::move(fabric), roster, settings, rank,
                                                      first_peer, counts, std::move(events).value()));
  STARLING_TRY(made->open());
  return made;
}

OfiTransport::OfiTransport(std::unique_ptr<tcp::TcpTransport> tcp, std::unique_ptr<Fabric> fabric,
                           const tcp::Roster& roster, Settings settings, WorldRank rank, PeerId first_peer,
                           observe::PacketCounts counts, tcp::EventSet events)
    : fabric_(std::move(fabric)),
      tcp_(std::move(tcp)),
      roster_(roster),
      settings_(std::move(settings)),
      rank_(rank),
      counts_(counts),
      events_(std::move(events)),
      peers_(first_peer, roster.size()),
      introduction_(fabric_->introduction()),
      outbox_(*fabric_, peers_, rank, *this),
      arrivals_(*fabric_, peers_, introduction_.token, *this) {}

Status OfiTransport::open() {
  using Watch = tcp::EventSet::Watch;
  bool watched = events_.add(tcp_->wake_source()->descriptor(), Watch::kReading, {});
  is_waking_ = fabric_->descriptor() >= 0;
  if (is_waking_) watched &= events_.add(fabric_->descriptor(), Watch::kReading, {});
  if (!watched) return Status::error(ErrorClass::kOther, "the descriptors of libfabric cannot be watched");
  if (fabric_->longest_read() != 0) copies_.emplace(*fabric_, static_cast<Copies::Host&>(*this));
  STARLING_TRY(fill_randomly(std::as_writable_bytes(std::span(&introduction_.token, 1))));
  std::vector<Buffer*> buffers;
  STARLING_TRY(fabric_->allocate(kBuffersToReceive, Buffer::Purpose::kReceive, buffers));
  for (Buffer* const buffer : buffers) arrivals_.receive_with(*buffer);
  return {};
}

OfiTransport::Room OfiTransport::room_to(OfiPeer& peer) {
  if (peer.state == OfiPeer::State::kJoined && outbox_.has_room(peer)) [[likely]]
    return Room::kThereIs;
  note_end(peer);
  switch (peer.state) {
    case OfiPeer::State::kUnknown: introduce(peer); return Room::kFull;
    case OfiPeer::State::kJoined: return Room::kFull;
    case OfiPeer::State::kGone: return Room::kOfNoUse;
    case OfiPeer::State::kDead: failure_ = Status::error(ErrorClass::kProcFailed, peer.death); return Room::kFull;
  }
  return Room::kFull;
}

void OfiTransport::note_end(OfiPeer& peer) {
  if (peer.state == OfiPeer::State::kGone || peer.state == OfiPeer::State::kDead) return;
  if (tcp_->peers().state_of(peer.address) != tcp::TcpPeer::State::kGone) return;
  peer.state = OfiPeer::State::kGone;
  forget(peer);
}

void OfiTransport::forget(OfiPeer& peer) {
  outbox_.forget(peer);
  peer.too_early.clear();
  std::erase(unjoined_, peer.address);
}

void OfiTransport::take_goodbye_back(OfiPeer& peer) {
  tcp_->publish_held(peer.address, 0);  // its next frame, which is no goodbye
  pause_ = 0;
}

void OfiTransport::introduce(OfiPeer& peer) {
  if (peer.is_told) return;
  PacketHeader header;
  header.kind = kIntroduction;
  if (tcp_->try_send_words(peer.address, header, {0, 0}, &introduction_, sizeof introduction_)) {
    peer.is_told = true;
    if (peer.state == OfiPeer::State::kUnknown) unjoined_.push_back(peer.address);
  } else {
    if (Status why = tcp_->take_failure(); !why.ok()) failure_ = std::move(why);
    outbox_.list(peer);
  }
}

bool OfiTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(to, header, {0, 0}, payload, bytes);
}

bool OfiTransport::try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                  const void* payload, std::size_t bytes) {
  STARLING_ASSERT(bytes <= kMaxPayload, "a packet is larger than the transport's limit");
  OfiPeer& peer = peers_[to];
  const Room room = room_to(peer);
  if (room == Room::kOfNoUse) return true;
  counts_.is_refused(WorldRank(to.value));  // counts what is wanted, before it arrives
  if (room == Room::kFull) return false;
  Frame frame = frame_of(header, words);
  if (outbox_.injects(bytes)) {
    if (!outbox_.inject(peer, frame, payload, bytes)) return false;
  } else {
    Buffer* const buffer = outbox_.free_buffer(failure_);
    if (buffer == nullptr) return false;
    outbox_.complete(peer, frame);
    std::memcpy(buffer->data, &frame, sizeof frame);
    if (bytes != 0) std::memcpy(buffer->data + sizeof frame, payload, bytes);
    buffer->bytes = sizeof frame + bytes;
    outbox_.send(peer, *buffer);
  }
  counts_.gives(WorldRank(to.value));
  return true;
}

bool OfiTransport::try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   datatype::PackCursor& cursor, std::size_t bytes) {
  STARLING_ASSERT(bytes <= kMaxPayload, "a packet is larger than the transport's limit");
  OfiPeer& peer = peers_[to];
  const Room room = room_to(peer);
  if (room == Room::kOfNoUse) {
    cursor.skip(std::min(cursor.remaining(), static_cast<std::int64_t>(bytes)));
    return true;
  }
  counts_.is_refused(WorldRank(to.value));
  Buffer* const buffer = room == Room::kThereIs ? outbox_.free_buffer(failure_) : nullptr;
  if (buffer == nullptr) return false;
  Frame frame = frame_of(header, words);
  outbox_.complete(peer, frame);
  std::memcpy(buffer->data, &frame, sizeof frame);
  buffer->bytes = sizeof frame + static_cast<std::size_t>(cursor.pack(buffer->data + sizeof frame, bytes));
  outbox_.send(peer, *buffer);
  counts_.gives(WorldRank(to.value));
  return true;
}

std::uint64_t OfiTransport::in_flight(Address to) {
  const OfiPeer* const peer = peers_.find(to);
  return peer != nullptr ? peer->under_way + peer->unsent.size() : 0;
}

std::uint64_t OfiTransport::held_by(Address address) {
  const OfiPeer* const peer = peers_.find(address);
  return peer != nullptr ? peer->held_there : 0;
}

void OfiTransport::publish_held(Address address, std::uint64_t bytes) {
  OfiPeer& peer = peers_[address];
  peer.held_here = bytes;
  if (peer.state != OfiPeer::State::kJoined) return;
  peer.owes_credits = true;
  outbox_.list(peer);
}

bool OfiTransport::is_dead(Address address) const {
  const OfiPeer* const peer = peers_.find(address);
  return peer != nullptr && peer->state == OfiPeer::State::kDead;
}

}  // namespace starling::transport::ofi
