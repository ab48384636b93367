// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TcpTransport: what it does when it is polled, when its rank sleeps, and when a peer or the rank itself ends.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "transport/tcp/delivery.hpp"
#include "transport/tcp/descriptor_limit.hpp"
#include "transport/tcp/losses.hpp"
#include "transport/tcp/tcp_transport.hpp"

namespace starling::transport::tcp {
namespace {

/// A look at the sockets is a call of the system: not at every poll that finds nothing.
constexpr std::uint32_t kPollsBetweenLooks = 3;
/// Of so many looks that found nothing at the expected peer one is at all sockets; and of so many that found something.
constexpr std::uint32_t kLooksBetweenEvents = 2;
constexpr std::uint32_t kReadsBetweenEvents = 16;
/// How often a rank that flushes and sleeps asks what has arrived: no event tells it.
constexpr std::int64_t kFlushLookNs = 1'000'000;
/// The same for one that has pieces for several links.
constexpr std::int64_t kStripeLookNs = 200'000;

}  // namespace

bool TcpTransport::poll(Sink& sink) {
  ++round_;
  if (!owed_.empty() || !to_write_.empty() || striping_.has_work()) write_kept();
  if (pause_ != 0) {
    --pause_;
    return false;
  }
  // Who is expected is asked first: that takes one call of the system, where an event takes two.
  bool moved = !expected_.get().is_none() && receive(expected_.get(), sink);
  moved |= striping_.receive_missing(sink);
  if (expected_.get().is_none() || ++looks_ % (moved ? kReadsBetweenEvents : kLooksBetweenEvents) == 0)
    moved |= look(sink);
  if (!lost_.empty()) [[unlikely]] {
    tell_losses(sink);
    moved = true;
  }
  pause_ = moved ? 0 : kPollsBetweenLooks;
  return moved;
}

bool TcpTransport::look(Sink& sink) {
  bool moved = false;
  for (const epoll_event& event : events_.ready()) {
    const EventOf about = EventSet::about(event);
    if (about.kind == EventOf::Kind::kTimer) {
      const std::int64_t now = now_ns();
      if (now >= look_timer_.due_ns()) look_for_silence(now, sink);
      events_.set_timer(look_timer_.due_ns());
    } else if (about.kind == EventOf::Kind::kConnection) {
      moved |= serve(Address(about.number), event.events, sink);
    } else if (about.kind == EventOf::Kind::kLane) {
      striping_.on_event(Address(about.number), about.attempt);
    } else if (about.kind == EventOf::Kind::kLaneOfPeer) {
      moved |= striping_.receive(Address(about.number), about.attempt, sink);
    } else {
      introductions_.on_event(about, now_ns());
      moved = true;
    }
  }
  if (introductions_.are_none()) return moved;
  introductions_.look(now_ns());
  if (const int shortage = introductions_.take_shortage(); shortage != 0) {
    sink.on_trouble(formatted("rank {} cannot take calls of other nodes: {}. The callers wait until it can",
                              rank_.value, text_of_error(shortage)));
  }
  return moved;
}

bool TcpTransport::serve(Address address, std::uint32_t events, Sink& sink) {
  TcpPeer& peer = peers_[address];
  if (!peer.connection) return false;  // it has ended in this look
  bool moved = false;
  if ((events & EPOLLOUT) != 0) {
    peer.connection->in_vain = 0;
    peer.connection->outgoing.write(peer.connection->socket.get());
    note_outgoing(address, *peer.connection);
    moved = !peer.connection->outgoing.is_stuck() || peer.connection->outgoing.owes();
  }
  if ((events & ~std::uint32_t{EPOLLOUT}) != 0) moved |= receive(address, sink);
  return moved;
}

bool TcpTransport::receive(Address from, Sink& sink) {
  TcpPeer& peer = peers_[from];
  Delivery delivery(peer, sink, counts_);
  Connection& connection = *peer.connection;
  Incoming::Outcome outcome = connection.incoming.receive(connection.socket.get(), staging_->bytes, delivery);
  if (delivery.is_wrong()) outcome = Incoming::Outcome::kEnded;
  if (outcome == Incoming::Outcome::kSome) expected_.note(from, peers_);
  if (peer.stripes) striping_.note_received(peer);
  if (outcome == Incoming::Outcome::kEnded) end(from, sink);
  return outcome != Incoming::Outcome::kNothing;
}

void TcpTransport::end(Address address, Sink& sink) {
  TcpPeer& peer = peers_[address];
  while (striping_.receive(address, sink)) {  // what had come before
  }
  if (peer.connection->peer_has_ended) {
    peer.state = TcpPeer::State::kGone;
    disconnect(address);
  } else {
    const Connection& connection = *peer.connection;
    const WorldRank rank(address.value);
    std::string why = text_of_end({endpoint_.roster, rank_, rank, connection.socket.get()}, connection.incoming.why());
    peer.lost_by = lost_by(connection.incoming.why());
    give_up(rank, Status::error(ErrorClass::kProcFailed, std::move(why)));
  }
}

void TcpTransport::give_up(WorldRank rank, Status why) {
  const Address address(rank.value);
  TcpPeer& peer = peers_[address];
  peer.state = TcpPeer::State::kDead;
  peer.death = why.message();
  disconnect(address);
  lost_.push_back(address);
}

void TcpTransport::tell_losses(Sink& sink) {
  std::vector<Address> lost;
  lost.swap(lost_);
  for (const Address address : lost) {
    const TcpPeer& peer = peers_[address];
    sink.on_lost(peer.number, peer.lost_by, Status::error(ErrorClass::kProcFailed, peer.death));
  }
}

void TcpTransport::look_for_silence(std::int64_t now_ns, Sink& sink) {
  look_timer_.begin_look();
  // By index: who hears of a loss may send to others.
  for (std::size_t number = 0; number < peers_.known().size(); ++number) {
    TcpPeer& peer = *peers_.known()[number];
    const Address address = peer.address;
    look_timer_.look_at(striping_.look(peer, now_ns));
    if (!peer.connection || !peer.connection->silence.expects()) continue;
    Connection& connection = *peer.connection;
    const std::int64_t silent_ms = connection.silence.look(connection.socket.get(), now_ns);
    const std::int64_t left_ns = (settings_.dead_after_ms - silent_ms) * 1'000'000;
    if (left_ns > 0) {
      if (connection.silence.expects()) look_timer_.look_at(now_ns + std::min(left_ns, Silence::kLookNs));
      continue;
    }
    const WorldRank rank(address.value);
    std::string why = text_of_silence({endpoint_.roster, rank_, rank, connection.socket.get()}, silent_ms);
    while (peer.connection && receive(address, sink)) {  // what had come before
    }
    if (!peer.connection) continue;
    peer.lost_by = LostBy::kSilence;
    give_up(rank, Status::error(ErrorClass::kProcFailed, std::move(why)));
  }
}

void TcpTransport::disconnect(Address address) {
  TcpPeer& peer = peers_[address];
  striping_.forget(peer);
  peer.connection.reset();
  expected_.forget(address);
  owed_.forget(peer);
  std::erase(to_write_, address);
  std::erase(begun_, address);
}

void TcpTransport::peer_failed(Address address, Sink& sink) {
  TcpPeer& peer = peers_[address];
  while (peer.connection && receive(address, sink)) {
  }
  while (striping_.receive(address, sink)) {
  }
  disconnect(address);
  std::erase(lost_, address);
  peer.state = TcpPeer::State::kDead;
  if (peer.death.empty()) peer.death = formatted("rank {}, on another node, has died", address.value);
}

bool TcpTransport::flush() {
  if (!owed_.empty() || !to_write_.empty() || striping_.has_work()) write_kept();
  flushing_ = std::ranges::any_of(peers_.known(), [](const auto& peer) {
    if (peer->stripes && !peer->stripes->sends.is_over() && !peer->connection->peer_has_ended) return true;
    return peer->connection && !peer->connection->outgoing.is_broken() &&
           !(peer->connection->has_all_written() && peer->connection->has_all_acknowledged());
  });
  return !flushing_;
}

bool TcpTransport::say_goodbye() {
  bool all = true;
  for (const auto& peer : peers_.known()) {
    if (!peer->connection) continue;
    if (!(peer->stripes && peer->stripes->sends.is_inside())) peer->connection->say_goodbye();
    all &= peer->connection->peer_has_ended;
  }
  return all;
}

std::string TcpTransport::warning() const {
  const std::uint64_t strangers = introductions_.strangers();
  const std::string lanes = striping_.report();
  // A rank that has died while it called looks like one.
  const bool some_have_died =
      std::ranges::any_of(peers_.known(), [](const auto& peer) { return peer->state == TcpPeer::State::kDead; });
  if (strangers == 0 || some_have_died) return lanes;
  return formatted(
      "rank {} has closed {} connections from other nodes that did not come from ranks of this job. Something else "
      "looks for open ports there, or the processes of another job have the wrong addresses{}{}",
      rank_.value, strangers, lanes.empty() ? "" : ". ", lanes);
}

bool TcpTransport::Waker::arm() {
  TcpTransport& self = transport_;
  if (!self.owed_.empty() || !self.to_write_.empty() || self.striping_.has_work()) self.write_kept();
  if (!self.lost_.empty()) return false;
  // Events for the sockets that take the rest of a payload.
  for (const Address to : self.begun_) self.peers_[to].connection->watch_for(self.events_, to, EventSet::Watch::kBoth);
  const std::int64_t due = std::min(self.introductions_.due_ns(), self.look_timer_.due_ns());
  const bool tries = self.striping_.tries();  // no event tells that a link takes the next piece
  self.events_.set_timer(self.flushing_ || tries ? std::min(due, now_ns() + (tries ? kStripeLookNs : kFlushLookNs))
                                                 : due);
  self.pause_ = 0;
  return !self.events_.is_ready();
}

}  // namespace starling::transport::tcp
