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
/// Made at once, when there is none to send with.
constexpr std::size_t kBuffersToSend = 16;
/// That may be under way to one peer, so that one who does not look takes not all.
constexpr std::uint32_t kMostUnderWay = 16;
/// Frames up to here are injected, where the provider takes as much.
constexpr std::size_t kMostInjected = 256;

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
      introduction_(fabric_->introduction()) {}

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
  for (Buffer* const buffer : buffers) receive_with(*buffer);
  return {};
}

OfiTransport::Room OfiTransport::room_to(OfiPeer& peer) {
  const bool is_full = peer.broken_at_ns != 0 || !peer.unsent.empty() || peer.under_way >= kMostUnderWay;
  if (peer.state == OfiPeer::State::kJoined && !is_full) [[likely]]
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
  if (!tcp_->has_ended(peer.address)) return;
  peer.state = OfiPeer::State::kGone;
  drop_unsent(peer);
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
    list(peer);
  }
}

void OfiTransport::complete(OfiPeer& peer, Frame& frame) {
  frame.token = peer.token;
  frame.from = rank_.value;
  frame.number = static_cast<std::uint32_t>(++peer.sent);
  frame.seen = static_cast<std::uint32_t>(peer.received);
  frame.held = tcp::packed_held(peer.held_here);
  if (frame.type == FrameType::kPacket || frame.type == FrameType::kCopied) {
    peer.sent_packet = peer.sent;
    if (!std::exchange(peer.is_unseen, true)) unseen_.push_back(peer.address);
  }
  peer.owes_credits = false;
  peer.owes_answer = false;
  if (!std::exchange(peer.has_goodbye, false)) return;
  tcp_->publish_held(peer.address, 0);  // which takes the goodbye back
  pause_ = 0;
}

bool OfiTransport::inject(OfiPeer& peer, Frame frame, const void* payload, std::size_t bytes) {
  std::byte memory[kMostInjected];
  const bool owes_credits = peer.owes_credits;
  const bool owes_answer = peer.owes_answer;
  const std::uint64_t sent = peer.sent;
  const std::uint64_t sent_packet = peer.sent_packet;
  complete(peer, frame);
  std::memcpy(memory, &frame, sizeof frame);
  if (bytes != 0) std::memcpy(memory + sizeof frame, payload, bytes);
  const Outcome outcome = fabric_->inject(peer.place, memory, sizeof frame + bytes);
  if (outcome == Outcome::kDone) return true;
  peer.owes_credits = owes_credits;
  peer.owes_answer = owes_answer;
  peer.sent = sent;
  peer.sent_packet = sent_packet;
  is_refused_ = true;
  if (outcome == Outcome::kFailed) break_with(peer);
  return false;
}

void OfiTransport::send(OfiPeer& peer, Buffer& buffer) {
  buffer.peer = peer.address;
  if (hand_over(peer, buffer) == Outcome::kDone) return;
  peer.unsent.push_back(&buffer);
  list(peer);
}

Outcome OfiTransport::hand_over(OfiPeer& peer, Buffer& buffer) {
  const Outcome outcome = fabric_->send(peer.place, buffer, buffer.bytes);
  if (outcome == Outcome::kDone) {
    ++peer.under_way;
    ++under_way_;
  } else {
    is_refused_ = true;
    if (outcome == Outcome::kFailed) break_with(peer);
  }
  return outcome;
}

Buffer* OfiTransport::free_buffer() {
  if (free_.empty()) {
    if (Status why = fabric_->allocate(kBuffersToSend, Buffer::Purpose::kSend, free_); !why.ok()) {
      failure_ = std::move(why);
      return nullptr;
    }
  }
  Buffer* const buffer = free_.back();
  free_.pop_back();
  return buffer;
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
  if (sizeof frame + bytes <= std::min(kMostInjected, fabric_->most_injected())) {
    if (!inject(peer, frame, payload, bytes)) return false;
  } else {
    Buffer* const buffer = free_buffer();
    if (buffer == nullptr) return false;
    complete(peer, frame);
    std::memcpy(buffer->data, &frame, sizeof frame);
    if (bytes != 0) std::memcpy(buffer->data + sizeof frame, payload, bytes);
    buffer->bytes = sizeof frame + bytes;
    send(peer, *buffer);
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
  Buffer* const buffer = room == Room::kThereIs ? free_buffer() : nullptr;
  if (buffer == nullptr) return false;
  Frame frame = frame_of(header, words);
  complete(peer, frame);
  std::memcpy(buffer->data, &frame, sizeof frame);
  buffer->bytes = sizeof frame + static_cast<std::size_t>(cursor.pack(buffer->data + sizeof frame, bytes));
  send(peer, *buffer);
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
  list(peer);
}

bool OfiTransport::is_dead(Address address) const {
  const OfiPeer* const peer = peers_.find(address);
  return peer != nullptr && peer->state == OfiPeer::State::kDead;
}

}  // namespace starling::transport::ofi
