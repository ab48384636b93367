// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/tcp_transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "base/clock.hpp"
#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "transport/tcp/descriptor_limit.hpp"

namespace starling::transport::tcp {
namespace {

/// As soon as so much is kept it is written.
constexpr std::size_t kEnoughToWrite = 16 * 1024;

/// The room for a packet, which leaves now if there is any.
template <typename Room>
Room counted(observe::PacketCounts& counts, Address to, Room room) noexcept {
  if (room == Room::kThereIs) counts.gives(WorldRank(to.value));
  if (room == Room::kFull) counts.is_refused(WorldRank(to.value));
  return room;
}

}  // namespace

std::optional<Address> TcpTransport::reaches(const Surroundings& surroundings, WorldRank rank) {
  if (surroundings.networks.tcp == nullptr || surroundings.placement.is_here(rank)) return std::nullopt;
  return Address(rank.value);
}

Result<std::unique_ptr<Transport>> TcpTransport::create(const Surroundings& surroundings) {
  auto made = create(surroundings, surroundings.packet_counts());
  if (!made.ok()) return std::move(made).status();
  return std::unique_ptr<Transport>(std::move(made).value());
}

Result<std::unique_ptr<TcpTransport>> TcpTransport::create(const Surroundings& surroundings,
                                                           observe::PacketCounts counts) {
  Result<Settings> settings = settings_of(surroundings.config);
  if (!settings.ok()) return std::move(settings).status();
  const bool fully = settings.value().connect == Connect::kFully;
  const Status allowed = allow_connections(static_cast<std::size_t>(surroundings.placement.size()));
  if (fully && !allowed.ok()) return allowed.copy();
  std::vector<WorldRank> at_once;
  for (WorldRank rank(0); fully && rank.value < surroundings.placement.size(); ++rank.value) {
    if (reaches(surroundings, rank)) at_once.push_back(rank);
  }
  auto made =
      create(*surroundings.networks.tcp, settings.value(), surroundings.rank, peer_of(WorldRank(0)), counts, at_once);
  if (!made.ok()) return made;
  const WorldRank watched = surroundings.networks.tcp->watched;
  if (!watched.is_none() && !fully) made.value()->introductions_.call(watched, now_ns());
  return made;
}

Result<std::unique_ptr<TcpTransport>> TcpTransport::create(const Endpoint& endpoint, const Settings& settings,
                                                           WorldRank rank, PeerId first_peer,
                                                           observe::PacketCounts counts,
                                                           std::span<const WorldRank> at_once) {
  Result<EventSet> events = EventSet::create();
  if (!events.ok()) return std::move(events).status();
  std::unique_ptr<TcpTransport> made(
      new TcpTransport(endpoint, settings, rank, std::move(events).value(), first_peer, counts));
  if (!made->introductions_.open()) {
    return Status::error(ErrorClass::kOther, formatted("rank {} cannot wait for calls of other nodes: {}", rank.value,
                                                       std::strerror(errno)));
  }
  // Of two ranks the higher one calls, unless the network prevents it.
  for (const WorldRank other : at_once) {
    const std::int64_t now = now_ns();
    other < rank ? made->introductions_.call(other, now) : made->introductions_.call_if_it_does_not(other, now);
  }
  return made;
}

TcpTransport::TcpTransport(const Endpoint& endpoint, Settings settings, WorldRank rank, EventSet events,
                           PeerId first_peer, observe::PacketCounts counts)
    : endpoint_(endpoint),
      settings_(std::move(settings)),
      rank_(rank),
      counts_(counts),
      events_(std::move(events)),
      introductions_(endpoint_, settings_, rank, events_, *this, striping_),
      peers_(first_peer, endpoint_.roster.size()),
      staging_(std::make_unique_for_overwrite<Staging>()),
      striping_(endpoint_, settings_, rank, events_, introductions_.handshake(), peers_, owed_, counts_, look_timer_,
                staging_->bytes, *this) {}

TcpTransport::~TcpTransport() {
  for (const auto& peer : peers_.known()) {
    // One that ends inside of a packet says no goodbye.
    if (peer->connection && !(peer->stripes && peer->stripes->sends.is_inside()))
      peer->connection->end(staging_->bytes);
    striping_.forget(*peer);
  }
  for (Listener& listener : endpoint_.listeners) listener.close();
}

void TcpTransport::join(WorldRank rank, Descriptor socket) {
  TcpPeer& peer = peers_[Address(rank.value)];
  if (peer.state == TcpPeer::State::kDead) return;  // it has been said so meanwhile
  auto connection = std::make_unique<Connection>(std::move(socket), kLongest);
  const EventOf about{EventOf::Kind::kConnection, 0, rank.value};
  const int number = connection->socket.get();
  // Of a call it is in the set already.
  if (!events_.change(number, EventSet::Watch::kReading, about) &&
      !events_.add(number, EventSet::Watch::kReading, about)) {
    return give_up(rank, Status::error(ErrorClass::kProcFailed,
                                       formatted("the connection from rank {} to rank {} cannot be watched: {}",
                                                 rank_.value, rank.value, std::strerror(errno))));
  }
  peer.connection = std::move(connection);
  peer.state = TcpPeer::State::kJoined;
}

TcpTransport::Room TcpTransport::room_to(Address to, std::size_t bytes, const Stripes* stripes) {
  TcpPeer& peer = peers_[to];
  switch (peer.state) {
    case TcpPeer::State::kJoined: {
      Outgoing& outgoing = peer.connection->outgoing;
      // A broken one ends when what the peer had sent before is read.
      if (outgoing.is_stuck() || outgoing.is_broken()) return Room::kFull;
      if (peer.stripes && !peer.stripes->sends.may_follow()) return Room::kFull;
      if (stripes != nullptr) return stripes->sends.has_room(bytes) ? Room::kThereIs : Room::kFull;
      if (outgoing.has_room(peer.connection->socket.get(), bytes)) return Room::kThereIs;
      note_outgoing(to, *peer.connection);
      return Room::kFull;
    }
    case TcpPeer::State::kUnknown: introductions_.call(WorldRank(to.value), now_ns()); return Room::kFull;
    case TcpPeer::State::kGone: return Room::kOfNoUse;
    case TcpPeer::State::kDead: {
      // The sink hears of it first.
      if (std::ranges::find(lost_, to) == lost_.end()) failure_ = Status::error(ErrorClass::kProcFailed, peer.death);
      return Room::kFull;
    }
  }
  return Room::kFull;
}

std::size_t TcpTransport::longest(Address to) {
  const TcpPeer* const peer = peers_.find(to);
  return peer != nullptr && peer->connection && !peer->connection->outgoing.is_stuck() ? kLongest : 0;
}

std::optional<std::size_t> TcpTransport::try_begin(Address to, const PacketHeader& header,
                                                   const std::uint64_t (&words)[2], const void* payload,
                                                   std::size_t bytes) {
  STARLING_ASSERT(bytes <= kLongest, "a packet is larger than the transport's limit");
  const Stripes* const stripes = striping_.for_payload(to, bytes);
  // Whatever the socket takes now: what it does not take is not copied.
  const Room room = counted(counts_, to, room_to(to, stripes != nullptr ? bytes : 0, stripes));
  if (room == Room::kFull) return std::nullopt;
  if (room == Room::kOfNoUse) return bytes;
  TcpPeer& peer = peers_[to];
  if (stripes != nullptr) {
    striping_.begin(peer, frame_of(header, words, bytes));
    return striping_.hand(peer, payload, bytes);
  }
  Connection& connection = *peer.connection;
  Frame frame = frame_of(header, words, bytes);
  owed_.tell_with(frame, peer);
  if (peer.stripes) peer.stripes->sends.note_following(bytes);
  const std::size_t taken = connection.outgoing.begin(connection.socket.get(), frame, payload);
  connection.note_left(round_);
  note_outgoing(to, connection);
  return taken;
}

std::size_t TcpTransport::go_on(Address to, const void* payload, std::size_t bytes) {
  TcpPeer& peer = peers_[to];
  if (!peer.connection) return room_to(to, 0) == Room::kOfNoUse ? bytes : 0;
  if (peer.stripes && peer.stripes->sends.is_handing()) return striping_.hand(peer, payload, bytes);
  Connection& connection = *peer.connection;
  if (!connection.outgoing.owes()) return bytes;  // begun on an earlier connection, which the peer has ended
  if (connection.awaits_event(begun_.size())) return 0;
  const std::size_t taken = connection.outgoing.go_on(connection.socket.get(), payload, bytes);
  connection.in_vain = taken == 0 ? connection.in_vain + 1 : 0;
  note_outgoing(to, connection);
  return taken;
}

bool TcpTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(to, header, {0, 0}, payload, bytes);
}

bool TcpTransport::try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                  const void* payload, std::size_t bytes) {
  STARLING_ASSERT(bytes <= kLongest, "a packet is larger than the transport's limit");
  const Stripes* const stripes = striping_.for_payload(to, bytes);
  const Room room = counted(counts_, to, room_to(to, bytes, stripes));
  if (room != Room::kThereIs) return room == Room::kOfNoUse;
  if (stripes != nullptr) {
    striping_.begin(peers_[to], frame_of(header, words, bytes));
    striping_.hand_all(peers_[to], payload, bytes);
    return true;
  }
  send(to, frame_of(header, words, bytes), payload);
  return true;
}

bool TcpTransport::try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                   datatype::PackCursor& cursor, std::size_t bytes) {
  STARLING_ASSERT(bytes <= kMaxPayload, "a packet is larger than the transport's limit");
  const auto packed = std::min(bytes, static_cast<std::size_t>(cursor.remaining()));
  const Stripes* const stripes = striping_.for_payload(to, packed);
  const Room room = counted(counts_, to, room_to(to, bytes, stripes));
  if (room == Room::kFull) return false;
  if (room == Room::kOfNoUse) {
    cursor.skip(std::min(cursor.remaining(), static_cast<std::int64_t>(bytes)));
    return true;
  }
  if (stripes != nullptr) {
    packed_.resize(packed);
    for (std::size_t done = 0; done < packed;)
      done += static_cast<std::size_t>(cursor.pack(packed_.data() + done, packed - done));
    striping_.begin(peers_[to], frame_of(header, words, packed));
    striping_.hand_all(peers_[to], packed_.data(), packed);
    return true;
  }
  Connection& connection = *peers_[to].connection;
  Frame frame = frame_of(header, words, bytes);
  owed_.tell_with(frame, peers_[to]);
  if (peers_[to].stripes) peers_[to].stripes->sends.note_following(bytes);
  const bool waits = connection.gathers(bytes, round_);
  connection.outgoing.keep_packed(frame, cursor);
  if (!waits) {
    connection.outgoing.write(connection.socket.get());
    connection.note_left(round_);
  }
  note_outgoing(to, connection);
  return true;
}

void TcpTransport::send(Address to, Frame frame, const void* payload) {
  TcpPeer& peer = peers_[to];
  Connection& connection = *peer.connection;
  owed_.tell_with(frame, peer);
  if (peer.stripes) peer.stripes->sends.note_following(frame.bytes);
  if (connection.gathers(frame.bytes, round_)) {
    connection.outgoing.keep(frame, payload);
  } else {
    connection.outgoing.send(connection.socket.get(), frame, payload);
    connection.note_left(round_);
  }
  note_outgoing(to, connection);
}

void TcpTransport::note_outgoing(Address to, Connection& connection) {
  Outgoing& outgoing = connection.outgoing;
  if (outgoing.kept_bytes() >= kEnoughToWrite && !outgoing.is_stuck()) outgoing.write(connection.socket.get());
  if (!connection.silence.expects()) {
    const std::int64_t now = now_ns();
    connection.silence.expect(now);
    look_timer_.look_at(now + Silence::kLookNs);
  }
  if (!connection.has_all_written() && !outgoing.is_stuck() && !std::exchange(connection.is_listed, true))
    to_write_.push_back(to);
  if (outgoing.owes() != std::exchange(connection.is_begun, outgoing.owes())) {
    connection.in_vain = 0;
    connection.is_begun ? begun_.push_back(to) : static_cast<void>(std::erase(begun_, to));
  }
  // Whoever owes is tried at every poll at first. Once arm() watches for its event it stays so to the end of the
  // payload, for the last poll before a sleep comes after arm().
  if (!outgoing.owes() || connection.awaits_event(begun_.size()))
    connection.watch_for(events_, to, outgoing.is_stuck() ? EventSet::Watch::kBoth : EventSet::Watch::kReading);
}

void TcpTransport::write_kept() {
  striping_.work();
  for (const Address to : owed_.to()) {
    if (room_to(to, 0) != Room::kThereIs) continue;
    Frame frame;
    frame.type = FrameType::kCredits;
    send(to, frame, nullptr);
  }
  std::vector<Address> listed;
  listed.swap(to_write_);
  for (const Address to : listed) {
    Connection& connection = *peers_[to].connection;
    connection.is_listed = false;
    if (!connection.outgoing.is_stuck()) connection.outgoing.write(connection.socket.get());
    note_outgoing(to, connection);
  }
}

void TcpTransport::publish_held(Address address, std::uint64_t bytes) {
  TcpPeer& peer = peers_[address];
  peer.held_here = bytes;
  if (peer.state == TcpPeer::State::kJoined) owed_.owe(peer);
}

std::uint64_t TcpTransport::in_flight(Address to) {
  const TcpPeer* const peer = peers_.find(to);
  if (peer == nullptr || !peer->connection) return 0;
  const std::uint64_t striped = peer->stripes && peer->stripes->is_served ? 1 : 0;
  return peer->connection->outgoing.kept_frames() + striped;
}

std::uint64_t TcpTransport::held_by(Address address) {
  const TcpPeer* const peer = peers_.find(address);
  return peer != nullptr ? peer->held_there : 0;
}

}  // namespace starling::transport::tcp
