// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/tcp_striping.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "transport/tcp/delivery.hpp"
#include "transport/tcp/descriptor_limit.hpp"
#include "transport/tcp/lane_ways.hpp"

namespace starling::transport::tcp {
namespace {

/// Between two looks at the lanes that something is under way on.
constexpr std::int64_t kLaneLookNs = 250'000'000;

/// Those of this host at which it is not called are of no use either.
void disregard_others(std::vector<InterfaceAddress>& addresses, std::span<const Listener> listeners) {
  for (InterfaceAddress& each : addresses) {
    each.is_up &= std::ranges::any_of(listeners, [&](const Listener& listener) {
      return listener.address().with_port(0) == each.address.with_port(0);
    });
  }
}

void add(std::vector<Address>& list, Address address) {
  if (std::ranges::find(list, address) == list.end()) list.push_back(address);
}

}  // namespace

Stripes& Striping::of(TcpPeer& peer) {
  if (!peer.stripes) peer.stripes = std::make_unique<Stripes>(*peer.connection, pieces_, kLongestPacket);
  return *peer.stripes;
}

Stripes* Striping::of_links(Address to) {
  TcpPeer& peer = peers_[to];
  if (peer.state != TcpPeer::State::kJoined) return nullptr;
  if (!std::exchange(peer.has_lanes_asked, true)) find_lanes(peer);
  if (!peer.stripes) return nullptr;
  call_lanes(peer);
  return peer.stripes->sends.has_lane() ? peer.stripes.get() : nullptr;
}

void Striping::find_lanes(TcpPeer& peer) {
  if (!own_addresses_) {
    std::vector<InterfaceAddress> all(endpoint_.addresses.begin(), endpoint_.addresses.end());
    if (all.empty()) {
      if (Result<HostNetwork> own = own_network(""); own.ok()) all = std::move(own.value().addresses);
    }
    disregard_others(all, endpoint_.listeners);
    own_addresses_ = std::move(all);
  }
  const SocketAddress used = SocketAddress::of_socket(peer.connection->socket.get());
  const auto theirs = endpoint_.roster.addresses(WorldRank(peer.address.value));
  for (const LaneWay& way : ways_beside(used, *own_addresses_, theirs)) {
    auto& lanes = of(peer).sends.lanes;
    if (lanes.size() == kMostLanes) break;
    lanes.push_back(std::make_unique<Lane>(way, static_cast<std::uint8_t>(lanes.size() + 1)));
  }
}

void Striping::call_lanes(TcpPeer& peer) {
  const std::int64_t now = now_ns();
  for (const auto& lane : peer.stripes->sends.lanes) {
    if (!lane->is_due(now)) continue;
    lane->call(WorldRank(peer.address.value), handshake_, events_, settings_, now);
    timer_.look_at(now + Silence::kLookNs);
  }
}

void Striping::begin(TcpPeer& peer, Frame frame) {
  owed_.tell_with(frame, peer);
  peer.stripes->sends.begin(frame);
}

std::size_t Striping::hand(TcpPeer& peer, const void* payload, std::size_t bytes) {
  const std::int64_t now = now_ns();
  const std::size_t taken = peer.stripes->sends.hand(payload, bytes, now);
  note_handed(peer, now);
  return taken;
}

void Striping::hand_all(TcpPeer& peer, const void* payload, std::size_t bytes) {
  const std::int64_t now = now_ns();
  peer.stripes->sends.hand_all(payload, bytes, now);
  note_handed(peer, now);
}

void Striping::note_handed(TcpPeer& peer, std::int64_t now_ns) {
  host_.note_outgoing(peer.address, *peer.connection);
  note_striping(peer);
  timer_.look_at(now_ns + kLaneLookNs);
}

void Striping::note_striping(TcpPeer& peer) {
  if (!std::exchange(peer.stripes->is_served, true)) striping_.push_back(peer.address);
}

void Striping::work() {
  if (!to_tell_.empty()) tell_taken();
  if (striping_.empty()) return;
  const std::int64_t now = now_ns();
  std::vector<Address> served;
  served.swap(striping_);
  for (const Address address : served) {
    TcpPeer& peer = peers_[address];
    StripedSends& sends = peer.stripes->sends;
    peer.stripes->is_served = false;
    for (const auto& lane : sends.lanes) {
      if (lane->is_open() && lane->why() != 0) lose(peer, *lane, text_of_error(lane->why()));
    }
    const bool waits = sends.go_on(now);
    host_.note_outgoing(address, *peer.connection);
    if (waits || sends.is_handing()) note_striping(peer);
  }
}

void Striping::tell_taken() {
  std::vector<Address> told;
  told.swap(to_tell_);
  for (const Address to : told) {
    TcpPeer& peer = peers_[to];
    Outgoing& outgoing = peer.connection->outgoing;
    if (outgoing.is_stuck() || outgoing.is_broken()) {
      to_tell_.push_back(to);
      continue;
    }
    Frame frame;
    frame.type = FrameType::kTaken;
    frame.words[0] = peer.stripes->told_taken = peer.stripes->receives.taken();
    owed_.tell_with(frame, peer);
    outgoing.send(peer.connection->socket.get(), frame, nullptr);
    host_.note_outgoing(to, *peer.connection);
  }
}

bool Striping::receive(Address from, std::uint8_t number, Sink& sink) {
  TcpPeer& peer = peers_[from];
  if (!peer.stripes || number == 0 || number > peer.stripes->lanes_of_peer.size()) return false;
  std::unique_ptr<LaneOfPeer>& lane = peer.stripes->lanes_of_peer[number - 1U];
  if (!lane) return false;
  Delivery delivery(peer, sink, counts_);
  const Incoming::Outcome outcome = lane->incoming.receive(lane->socket.get(), staging_, delivery);
  if (outcome == Incoming::Outcome::kEnded || delivery.is_wrong()) lane.reset();
  note_received(peer);
  return outcome == Incoming::Outcome::kSome;
}

bool Striping::receive(Address from, Sink& sink) {
  const TcpPeer& peer = peers_[from];
  bool moved = false;
  for (std::size_t i = 0; peer.stripes && i < peer.stripes->lanes_of_peer.size(); ++i)
    moved |= receive(from, static_cast<std::uint8_t>(i + 1), sink);
  return moved;
}

bool Striping::receive_missing(Sink& sink) {
  if (assembling_.empty()) return false;
  bool moved = false;
  for (const Address from : std::vector<Address>(assembling_)) moved |= receive(from, sink);
  return moved;
}

void Striping::note_received(TcpPeer& peer) {
  const StripedReceives& receives = peer.stripes->receives;
  if (receives.is_waiting()) {
    add(assembling_, peer.address);
  } else {
    std::erase(assembling_, peer.address);
  }
  if (receives.taken() != peer.stripes->told_taken) add(to_tell_, peer.address);
}

void Striping::on_event(Address address, std::uint8_t number) {
  TcpPeer& peer = peers_[address];
  if (!peer.stripes || number == 0 || number > peer.stripes->sends.lanes.size()) return;
  Lane& lane = *peer.stripes->sends.lanes[number - 1U];
  if (lane.is_called()) return lane.look_after_call(now_ns(), true);
  if (!lane.is_open()) return;
  std::byte nothing{};  // nothing comes on a lane but its end
  const ssize_t got = recv(lane.socket(), &nothing, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  // One that ends, or has no use for it any more, closes it so.
  if (got == 0 && lane.is_empty()) return static_cast<void>(lane.close(now_ns()));
  lose(peer, lane, got < 0 ? text_of_error(errno) : "closed by the other side");
}

void Striping::join_lane(WorldRank rank, std::uint8_t lane, Descriptor socket) {
  auto& lanes = of(peers_[Address(rank.value)]).lanes_of_peer;
  if (lanes.size() < lane) lanes.resize(lane);
  const EventOf about{EventOf::Kind::kLaneOfPeer, lane, rank.value};
  if (!events_.change(socket.get(), EventSet::Watch::kReading, about)) return;
  lanes[lane - 1U] = std::make_unique<LaneOfPeer>(std::move(socket));
}

void Striping::lose(TcpPeer& peer, Lane& lane, const std::string& why) {
  const WorldRank rank(peer.address.value);
  const std::string way = lane.way().text();
  auto loss = std::ranges::find_if(losses_, [&](const Loss& each) { return each.peer == rank && each.way == way; });
  if (loss == losses_.end()) loss = losses_.insert(loss, {rank, way, 0, ""});
  ++loss->times;
  loss->why = why;
  peer.stripes->sends.lose(lane, now_ns());
  note_striping(peer);
}

std::int64_t Striping::look(TcpPeer& peer, std::int64_t now_ns) {
  constexpr double kMsPerSecond = 1000;
  std::int64_t due = INT64_MAX;
  if (!peer.stripes) return due;
  for (const auto& lane : peer.stripes->sends.lanes) {
    if (lane->is_called()) lane->look_after_call(now_ns, false);
    if (lane->is_called()) due = std::min(due, now_ns + Silence::kLookNs);
    if (!lane->is_open() || !lane->expects()) continue;
    const std::int64_t silent_ms = lane->silent_ms(now_ns);
    if (silent_ms >= Lane::kPatienceMs) {
      lose(peer, *lane, formatted("no answer for {:.1f} s", static_cast<double>(silent_ms) / kMsPerSecond));
    } else if (lane->expects()) {
      due = std::min(due, now_ns + kLaneLookNs);
    }
  }
  return due;
}

void Striping::forget(TcpPeer& peer) noexcept {
  peer.stripes.reset();
  peer.has_lanes_asked = false;
  std::erase(striping_, peer.address);
  std::erase(assembling_, peer.address);
  std::erase(to_tell_, peer.address);
}

std::string Striping::report() const {
  std::string text;
  for (const Loss& loss : losses_) {
    text += formatted("{}rank {} has lost its link over {} to {} {} ({}); its messages took the other links",
                      text.empty() ? "" : ". ", own_.value, loss.way, endpoint_.roster.text_of(loss.peer),
                      loss.times == 1 ? std::string("once") : formatted("{} times", loss.times), loss.why);
  }
  return text;
}

}  // namespace starling::transport::tcp
