// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OfiTransport: what it does when it is polled, when its rank sleeps, and when a peer or the rank itself ends.
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "transport/ofi/ofi_transport.hpp"

namespace starling::transport::ofi {
namespace {

/// Only ends and introductions come by TCP: not at every poll.
constexpr std::uint32_t kPollsBetweenLooks = 15;
/// An error of the provider counts as the end of the peer, unless TCP tells of a goodbye meanwhile.
constexpr std::int64_t kToSayGoodbyeNs = 1'000'000'000;
/// How soon a rank that sleeps looks where no descriptor tells it, and after twice the time again.
constexpr std::int64_t kSoonestLookNs = 250'000;
constexpr std::int64_t kLatestLookNs = 10'000'000;
/// The same for questions to peers.
constexpr std::uint32_t kPollsBetweenAsks = 64;
/// A descriptor that is readable so often in a row, though there is nothing, is not waited for.
constexpr std::uint32_t kMostFalseAlarms = 20;

struct Nowhere final : Sink {
  void on_packet(PeerId /*peer*/, const Packet& /*packet*/) override {}
};

std::string provider_of(const Introduction& introduction) {
  return {introduction.provider, strnlen(introduction.provider, sizeof introduction.provider)};
}

}  // namespace

bool OfiTransport::poll(Sink& sink) {
  sink_ = &sink;
  outbox_.begin_poll();
  outbox_.work();
  if (arrivals_.is_short()) arrivals_.try_again();
  bool moved = false;
  if (pause_ == 0 || !unjoined_.empty()) {
    pause_ = kPollsBetweenLooks;
    moved = tcp_->poll(*this);
  } else {
    --pause_;
  }
  moved |= collect();
  moved |= !arrivals_.empty();  // others may have collected it
  arrivals_.deliver(sink);
  if (!broken_.empty()) [[unlikely]]
    moved |= look_for_broken(sink);
  if (outbox_.is_unseen() && ++polls_ % kPollsBetweenAsks == 0) outbox_.ask_around(now_ns());
  outbox_.work();  // answers do not wait for the next poll
  return moved;
}

bool OfiTransport::collect() {
  Completion found[16];
  std::size_t count = 0;
  bool any = false;
  do {
    count = fabric_->poll(found);
    any |= count != 0;
    for (const Completion& each : std::span(found, count)) {
      if (each.buffer == nullptr || (each.failed && each.buffer->purpose == Buffer::Purpose::kReceive)) [[unlikely]] {
        ++nameless_errors_;
        nameless_error_ = fabric_->last_error();
        if (each.buffer == nullptr) continue;
      }
      Buffer& buffer = *each.buffer;
      switch (buffer.purpose) {
        case Buffer::Purpose::kSend: outbox_.take_back(buffer, each.failed); break;
        case Buffer::Purpose::kRead: copies_->note_read(buffer, each.failed); break;
        case Buffer::Purpose::kReceive:
          buffer.bytes = each.bytes;
          each.failed ? arrivals_.receive_with(buffer) : arrivals_.add(buffer);
          break;
      }
    }
  } while (count == std::size(found));
  if (any) {
    false_alarms_ = 0;
    look_pause_ns_ = 0;
  }
  return any;
}

void OfiTransport::on_frame(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& sink) {
  ++peer.received;
  peer.held_there = tcp::unpacked_held(frame.held);
  peer.seen += frame.seen - static_cast<std::uint32_t>(peer.seen);
  switch (frame.type) {
    case FrameType::kPacket:
      sink.on_packet(peer.number, {frame.header(), {frame.words[0], frame.words[1]}, payload});
      counts_.takes();
      return;
    case FrameType::kAsk:
      peer.owes_answer = true;
      outbox_.list(peer);
      return;
    case FrameType::kCopied:
      if (copies_) copies_->note_copied(peer.address, {{frame.words[0], frame.words[1]}});
      return;
    case FrameType::kNothing: return;
  }
}

void OfiTransport::on_packet(PeerId number, const Packet& packet) {
  Introduction introduction;
  if (packet.header.kind != kIntroduction || packet.payload.size() != sizeof introduction) return;
  std::memcpy(&introduction, packet.payload.data(), sizeof introduction);
  OfiPeer& peer = peers_[peers_.address_of(number)];
  if (peer.state == OfiPeer::State::kUnknown) join(peer, introduction);
}

bool OfiTransport::has_room(Address address) const {
  const OfiPeer* const peer = peers_.find(address);
  return peer != nullptr && peer->state == OfiPeer::State::kJoined && outbox_.has_room(*peer);
}

void OfiTransport::tell_copied(Address address, const CopyOffer& offer) {
  OfiPeer& peer = peers_[address];
  peer.copied.push_back(offer);
  outbox_.list(peer);
  outbox_.work();  // there may be no next poll for long
}

void OfiTransport::join(OfiPeer& peer, const Introduction& introduction) {
  introduce(peer);  // also where it is of no use, so that both know it
  std::erase(unjoined_, peer.address);
  const std::string here = provider_of(introduction_);
  const std::string there = provider_of(introduction);
  const std::string ends = formatted("{} and {} cannot exchange messages: ", roster_.text_of(rank_),
                                     roster_.text_of(WorldRank(peer.address.value)));
  if (here != there || introduction.format != introduction_.format) {
    return lose(peer, LostBy::kEnd,
                formatted("{}libfabric's providers are {} and {}. STARLING_OFI_PROVIDER names one that all hosts have",
                          ends, here, there),
                *sink_);
  }
  const std::optional<Place> place = fabric_->insert(introduction);
  if (!place) {
    return lose(peer, LostBy::kEnd,
                formatted("{}libfabric's provider {} does not take the other's address", ends, here), *sink_);
  }
  peer.place = *place;
  peer.token = introduction.token;
  peer.state = OfiPeer::State::kJoined;
  peer.owes_credits = peer.held_here != 0;
  outbox_.list(peer);
}

void OfiTransport::break_with(OfiPeer& peer) {
  if (peer.state != OfiPeer::State::kJoined || peer.broken_at_ns != 0) return;
  peer.broken_at_ns = now_ns();
  peer.death = formatted(
      "the connection from rank {} to {} has failed (libfabric's provider {}: {}): the process there has died, or the "
      "network between the two hosts is interrupted",
      rank_.value, roster_.text_of(WorldRank(peer.address.value)), provider_of(introduction_), fabric_->last_error());
  broken_.push_back(peer.address);
}

bool OfiTransport::look_for_broken(Sink& sink) {
  std::vector<Address> broken;
  broken.swap(broken_);
  const std::int64_t now = now_ns();
  bool any_lost = false;
  pause_ = 0;
  for (const Address address : broken) {
    OfiPeer& peer = peers_[address];
    note_end(peer);
    if (peer.state != OfiPeer::State::kJoined) continue;
    if (now - peer.broken_at_ns < kToSayGoodbyeNs) {
      broken_.push_back(address);
    } else {
      lose(peer, LostBy::kEnd, std::string(peer.death), sink);
      any_lost = true;
    }
  }
  return any_lost;
}

void OfiTransport::on_lost(PeerId number, LostBy by, const Status& why) {
  collect();
  arrivals_.deliver(*sink_);
  lose(peers_[peers_.address_of(number)], by, why.message(), *sink_);
}

void OfiTransport::lose(OfiPeer& peer, LostBy by, std::string why, Sink& sink) {
  if (peer.state == OfiPeer::State::kDead) return;
  peer.state = OfiPeer::State::kDead;
  peer.death = std::move(why);
  forget(peer);
  sink.on_lost(peer.number, by, Status::error(ErrorClass::kProcFailed, peer.death));
}

void OfiTransport::peer_failed(Address address, Sink& sink) {
  collect();
  arrivals_.deliver_from(address, sink);
  Nowhere nowhere;
  tcp_->peer_failed(address, nowhere);
  OfiPeer& peer = peers_[address];
  forget(peer);
  peer.state = OfiPeer::State::kDead;
  if (peer.death.empty()) peer.death = formatted("rank {}, on another node, has died", address.value);
}

bool OfiTransport::flush() {
  outbox_.work();
  is_flushing_ = false;
  for (const std::unique_ptr<OfiPeer>& each : peers_.known()) {
    OfiPeer& peer = *each;
    note_end(peer);
    if (peer.state != OfiPeer::State::kJoined || (peer.seen >= peer.sent_packet && peer.copied.empty())) continue;
    // What it has not seen of this is of no use to it.
    const tcp::TcpPeer* const of_tcp = tcp_->peers().find(peer.address);
    if (of_tcp != nullptr && of_tcp->connection && of_tcp->connection->peer_has_ended) continue;
    is_flushing_ = true;
    if (peer.asked < peer.sent_packet) outbox_.ask(peer);
  }
  return tcp_->flush() && !is_flushing_;
}

bool OfiTransport::say_goodbye() {
  for (const std::unique_ptr<OfiPeer>& peer : peers_.known()) peer->has_goodbye = true;
  return tcp_->say_goodbye();
}

std::string OfiTransport::warning() const {
  std::string all = tcp_->warning();
  const auto add = [&all](std::string what) { all = all.empty() ? what : what + ". " + all; };
  if (arrivals_.strangers() != 0) {
    add(formatted("rank {} has dropped {} packets of libfabric that did not come from ranks of this job", rank_.value,
                  arrivals_.strangers()));
  }
  if (nameless_errors_ != 0) {
    add(
        formatted("libfabric's provider {} has reported {} errors to rank {} without saying of which peer, the last "
                  "one: {}",
                  provider_of(introduction_), nameless_errors_, rank_.value, nameless_error_));
  }
  return all;
}

// libfabric 1.17's net leaves its descriptor readable for ever once it is connected.
void OfiTransport::note_false_alarm() {
  pollfd watched{fabric_->descriptor(), POLLIN, 0};
  if (!is_waking_ || ::poll(&watched, 1, 0) != 1 || ++false_alarms_ < kMostFalseAlarms) return;
  is_waking_ = !events_.change(fabric_->descriptor(), tcp::EventSet::Watch::kNothing, {});
}

bool OfiTransport::Waker::arm() {
  OfiTransport& self = transport_;
  self.outbox_.work();
  self.pause_ = 0;
  const bool looks = !self.is_waking_ || self.outbox_.is_busy() || self.arrivals_.is_short() || self.is_flushing_ ||
                     (self.copies_ && self.copies_->is_reading()) || !self.broken_.empty();
  const std::int64_t now = now_ns();
  self.outbox_.ask_around(now);
  const std::int64_t due = self.outbox_.ask_at_ns();
  self.look_pause_ns_ = std::clamp(2 * self.look_pause_ns_, kSoonestLookNs, kLatestLookNs);
  self.events_.set_timer(looks ? std::min(due, now + self.look_pause_ns_) : due);
  if (!self.arrivals_.empty() || !self.tcp_->wake_source()->arm()) return false;
  if (self.is_waking_ && !self.fabric_->arm()) return false;
  if (!self.events_.is_ready()) return true;
  self.note_false_alarm();
  return false;
}

}  // namespace starling::transport::ofi
