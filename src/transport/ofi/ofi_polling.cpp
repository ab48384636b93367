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
/// Some providers keep the last packet of a burst back until another one follows: libfabric 1.17's tcp;ofi_rxm does. So
/// a peer that has not said that it has seen all is asked, and again after twice the time.
constexpr std::int64_t kLeastAskNs = 2'000'000;
constexpr std::int64_t kMostAskNs = 1'000'000'000;
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
  is_refused_ = false;
  if (!listed_.empty()) work();
  std::vector<Buffer*> unposted;
  unposted.swap(unposted_);
  for (Buffer* const buffer : unposted) receive_with(*buffer);
  bool moved = false;
  if (pause_ == 0 || !unjoined_.empty()) {
    pause_ = kPollsBetweenLooks;
    moved = tcp_->poll(*this);
  } else {
    --pause_;
  }
  moved |= collect();
  deliver(sink);
  if (!broken_.empty()) [[unlikely]]
    look_for_broken(sink);
  if (!unseen_.empty() && ++polls_ % kPollsBetweenAsks == 0) ask_around(now_ns());
  if (!listed_.empty()) work();  // answers do not wait for the next poll
  return moved;
}

void OfiTransport::list(OfiPeer& peer) {
  if (!std::exchange(peer.is_listed, true)) listed_.push_back(peer.address);
}

void OfiTransport::work() {
  std::vector<Address> listed;
  listed.swap(listed_);
  for (const Address address : listed) {
    OfiPeer& peer = peers_[address];
    peer.is_listed = false;
    if (!work_for(peer)) list(peer);
  }
}

bool OfiTransport::work_for(OfiPeer& peer) {
  note_end(peer);
  if (peer.state == OfiPeer::State::kGone || peer.state == OfiPeer::State::kDead) return true;
  if (!peer.is_told) introduce(peer);
  if (peer.state == OfiPeer::State::kUnknown) return peer.is_told;  // it is listed again when it has joined
  if (peer.broken_at_ns != 0) return true;
  while (!peer.unsent.empty()) {
    if (hand_over(peer, *peer.unsent.front()) != Outcome::kDone) return false;
    peer.unsent.pop_front();
  }
  for (; !peer.copied.empty(); peer.copied.pop_front()) {
    Frame frame;
    frame.type = FrameType::kCopied;
    frame.words[0] = peer.copied.front();
    if (!inject(peer, frame, nullptr, 0)) return false;
  }
  if (!peer.owes_credits && !peer.owes_answer) return peer.is_told;
  Frame frame;
  frame.type = FrameType::kNothing;
  return inject(peer, frame, nullptr, 0) && peer.is_told;
}

void OfiTransport::ask_around(std::int64_t now_ns) {
  if (now_ns < ask_at_ns_) return;
  bool some_sent = false;
  std::vector<Address> unseen;
  unseen.swap(unseen_);
  for (const Address address : unseen) {
    OfiPeer& peer = peers_[address];
    peer.is_unseen = peer.state == OfiPeer::State::kJoined && peer.seen < peer.sent_packet;
    if (!peer.is_unseen) continue;
    unseen_.push_back(address);
    const bool is_new = std::exchange(peer.sent_before, peer.sent_packet) != peer.sent_packet;
    some_sent |= is_new;
    if (!is_new) ask(peer);
  }
  ask_pause_ns_ = some_sent ? kLeastAskNs : std::clamp(2 * ask_pause_ns_, kLeastAskNs, kMostAskNs);
  ask_at_ns_ = now_ns + ask_pause_ns_;
}

void OfiTransport::ask(OfiPeer& peer) {
  if (!peer.unsent.empty() || peer.broken_at_ns != 0) return;
  Frame frame;
  frame.type = FrameType::kAsk;
  if (inject(peer, frame, nullptr, 0)) peer.asked = peer.sent;
}

bool OfiTransport::collect() {
  Completion found[16];
  std::size_t count = 0;
  bool any = false;
  do {
    count = fabric_->poll(found);
    any |= count != 0;
    for (const Completion& each : std::span(found, count)) {
      Buffer& buffer = *each.buffer;
      if (buffer.purpose == Buffer::Purpose::kReceive) {
        buffer.bytes = each.bytes;
        each.failed ? receive_with(buffer) : arrived_.push_back(&buffer);
        continue;
      }
      if (buffer.purpose == Buffer::Purpose::kRead) {
        copies_->note_read(buffer, each.failed);
        continue;
      }
      free_.push_back(&buffer);
      OfiPeer& peer = peers_[buffer.peer];
      if (peer.under_way == 0) continue;  // it has ended
      --peer.under_way;
      --under_way_;
      if (each.failed) break_with(peer);
    }
  } while (count == std::size(found));
  if (any) {
    false_alarms_ = 0;
    look_pause_ns_ = 0;
  }
  return any;
}

void OfiTransport::receive_with(Buffer& buffer) {
  if (fabric_->receive(buffer) != Outcome::kDone) unposted_.push_back(&buffer);
}

void OfiTransport::deliver(Sink& sink) {
  while (!arrived_.empty()) {
    Buffer& buffer = *arrived_.front();
    arrived_.pop_front();
    deliver(buffer, sink);
    receive_with(buffer);
  }
}

void OfiTransport::deliver(Buffer& buffer, Sink& sink) {
  Frame frame;
  if (buffer.bytes < sizeof frame) return;
  std::memcpy(&frame, buffer.data, sizeof frame);
  const bool is_rank = frame.from >= 0 && static_cast<std::size_t>(frame.from) < peers_.size();
  OfiPeer* const peer = is_rank ? peers_.find(Address(frame.from)) : nullptr;
  if (peer == nullptr || frame.token != introduction_.token) {
    ++strangers_;
    return;
  }
  if (peer->state == OfiPeer::State::kDead) return;
  const std::span<const std::byte> payload(buffer.data + sizeof frame, buffer.bytes - sizeof frame);
  const std::uint32_t ahead = frame.number - static_cast<std::uint32_t>(peer->received + 1);
  if (ahead != 0) {
    if (ahead >> 31 == 0) peer->too_early[peer->received + 1 + ahead].assign(buffer.data, buffer.data + buffer.bytes);
    return;
  }
  deliver(*peer, frame, payload, sink);
  while (!peer->too_early.empty() && peer->too_early.begin()->first == peer->received + 1) {
    const auto kept = peer->too_early.extract(peer->too_early.begin());
    std::memcpy(&frame, kept.mapped().data(), sizeof frame);
    deliver(*peer, frame, std::span(kept.mapped()).subspan(sizeof frame), sink);
  }
}

void OfiTransport::deliver(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& sink) {
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
      list(peer);
      return;
    case FrameType::kCopied:
      if (copies_) copies_->note_copied(peer.address, frame.words[0]);
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

void OfiTransport::tell_copied(Address address, std::uint64_t key) {
  OfiPeer& peer = peers_[address];
  peer.copied.push_back(key);
  list(peer);
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
  list(peer);
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

void OfiTransport::look_for_broken(Sink& sink) {
  std::vector<Address> broken;
  broken.swap(broken_);
  const std::int64_t now = now_ns();
  pause_ = 0;
  for (const Address address : broken) {
    OfiPeer& peer = peers_[address];
    note_end(peer);
    if (peer.state != OfiPeer::State::kJoined) continue;
    if (now - peer.broken_at_ns < kToSayGoodbyeNs) {
      broken_.push_back(address);
    } else {
      lose(peer, LostBy::kEnd, std::string(peer.death), sink);
    }
  }
}

void OfiTransport::on_lost(PeerId number, LostBy by, const Status& why) {
  collect();
  deliver(*sink_);
  lose(peers_[peers_.address_of(number)], by, why.message(), *sink_);
}

void OfiTransport::lose(OfiPeer& peer, LostBy by, std::string why, Sink& sink) {
  if (peer.state == OfiPeer::State::kDead) return;
  peer.state = OfiPeer::State::kDead;
  peer.death = std::move(why);
  drop_unsent(peer);
  sink.on_lost(peer.number, by, Status::error(ErrorClass::kProcFailed, peer.death));
}

void OfiTransport::drop_unsent(OfiPeer& peer) {
  for (Buffer* const buffer : peer.unsent) free_.push_back(buffer);
  peer.unsent.clear();
  peer.too_early.clear();
  peer.copied.clear();
  under_way_ -= std::exchange(peer.under_way, 0);
  std::erase(unjoined_, peer.address);
}

void OfiTransport::peer_failed(Address address, Sink& sink) {
  collect();
  std::deque<Buffer*> arrived;
  arrived.swap(arrived_);
  for (Buffer* const buffer : arrived) {
    std::int32_t from = -1;
    if (buffer->bytes >= sizeof(Frame)) std::memcpy(&from, buffer->data + offsetof(Frame, from), sizeof from);
    if (from != address.value) {
      arrived_.push_back(buffer);
      continue;
    }
    deliver(*buffer, sink);
    receive_with(*buffer);
  }
  Nowhere nowhere;
  tcp_->peer_failed(address, nowhere);
  OfiPeer& peer = peers_[address];
  drop_unsent(peer);
  peer.state = OfiPeer::State::kDead;
  if (peer.death.empty()) peer.death = formatted("rank {}, on another node, has died", address.value);
}

bool OfiTransport::flush() {
  if (!listed_.empty()) work();
  is_flushing_ = false;
  for (const std::unique_ptr<OfiPeer>& each : peers_.known()) {
    OfiPeer& peer = *each;
    note_end(peer);
    if (peer.state != OfiPeer::State::kJoined || (peer.seen >= peer.sent_packet && peer.copied.empty())) continue;
    // What it has not seen of this is of no use to it.
    if (tcp_->has_said_goodbye(peer.address)) continue;
    is_flushing_ = true;
    if (peer.asked < peer.sent_packet) ask(peer);
  }
  return tcp_->flush() && !is_flushing_;
}

bool OfiTransport::say_goodbye() {
  for (const std::unique_ptr<OfiPeer>& peer : peers_.known()) peer->has_goodbye = true;
  return tcp_->say_goodbye();
}

std::string OfiTransport::warning() const {
  std::string of_tcp = tcp_->warning();
  if (strangers_ == 0) return of_tcp;
  return formatted("rank {} has dropped {} packets of libfabric that did not come from ranks of this job{}{}",
                   rank_.value, strangers_, of_tcp.empty() ? "" : ". ", of_tcp);
}

// libfabric 1.17's net leaves its descriptor readable for ever once it is connected.
void OfiTransport::note_false_alarm() {
  pollfd watched{fabric_->descriptor(), POLLIN, 0};
  if (!is_waking_ || ::poll(&watched, 1, 0) != 1 || ++false_alarms_ < kMostFalseAlarms) return;
  is_waking_ = !events_.change(fabric_->descriptor(), tcp::EventSet::Watch::kNothing, {});
}

bool OfiTransport::Waker::arm() {
  OfiTransport& self = transport_;
  if (!self.listed_.empty()) self.work();
  self.pause_ = 0;
  const bool looks = !self.is_waking_ || self.under_way_ != 0 || self.is_refused_ || self.is_flushing_ ||
                     (self.copies_ && self.copies_->is_reading()) || !self.unposted_.empty() || !self.listed_.empty() ||
                     !self.broken_.empty();
  const std::int64_t now = now_ns();
  if (!self.unseen_.empty()) self.ask_around(now);
  const std::int64_t due = self.unseen_.empty() ? INT64_MAX : self.ask_at_ns_;
  self.look_pause_ns_ = std::clamp(2 * self.look_pause_ns_, kSoonestLookNs, kLatestLookNs);
  self.events_.set_timer(looks ? std::min(due, now + self.look_pause_ns_) : due);
  if (!self.arrived_.empty() || !self.tcp_->wake_source()->arm()) return false;
  if (self.is_waking_ && !self.fabric_->arm()) return false;
  if (!self.events_.is_ready()) return true;
  self.note_false_alarm();
  return false;
}

}  // namespace starling::transport::ofi
