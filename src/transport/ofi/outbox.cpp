// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/outbox.hpp"

#include <algorithm>
#include <cstring>

namespace starling::transport::ofi {
namespace {

/// Made at once, when there is none to send with.
constexpr std::size_t kBuffersToSend = 16;
/// Frames up to here are injected, where the provider takes as much.
constexpr std::size_t kMostInjected = 256;
/// Some providers keep the last packet of a burst back until another one follows. So a peer that has not said that it
/// has seen all is asked, and again after twice the time.
constexpr std::int64_t kLeastAskNs = 2'000'000;
constexpr std::int64_t kMostAskNs = 1'000'000'000;

}  // namespace

bool Outbox::has_room(const OfiPeer& peer) const noexcept {
  return peer.broken_at_ns == 0 && peer.unsent.empty() && peer.under_way < most_under_way_;
}

bool Outbox::injects(std::size_t bytes) const noexcept {
  return sizeof(Frame) + bytes <= std::min(kMostInjected, fabric_.most_injected());
}

void Outbox::complete(OfiPeer& peer, Frame& frame) {
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
  host_.take_goodbye_back(peer);
}

bool Outbox::inject(OfiPeer& peer, Frame frame, const void* payload, std::size_t bytes) {
  std::byte memory[kMostInjected];
  const bool owes_credits = peer.owes_credits;
  const bool owes_answer = peer.owes_answer;
  const std::uint64_t sent = peer.sent;
  const std::uint64_t sent_packet = peer.sent_packet;
  complete(peer, frame);
  std::memcpy(memory, &frame, sizeof frame);
  if (bytes != 0) std::memcpy(memory + sizeof frame, payload, bytes);
  const Outcome outcome = fabric_.inject(peer.place, memory, sizeof frame + bytes);
  if (outcome == Outcome::kDone) return true;
  peer.owes_credits = owes_credits;
  peer.owes_answer = owes_answer;
  peer.sent = sent;
  peer.sent_packet = sent_packet;
  is_refused_ = true;
  if (outcome == Outcome::kFailed) host_.break_with(peer);
  return false;
}

void Outbox::send(OfiPeer& peer, Buffer& buffer) {
  buffer.peer = peer.address;
  if (hand_over(peer, buffer) == Outcome::kDone) return;
  peer.unsent.push_back(&buffer);
  list(peer);
}

Outcome Outbox::hand_over(OfiPeer& peer, Buffer& buffer) {
  const Outcome outcome = fabric_.send(peer.place, buffer, buffer.bytes);
  if (outcome == Outcome::kDone) {
    ++peer.under_way;
    ++under_way_;
  } else {
    is_refused_ = true;
    if (outcome == Outcome::kFailed) host_.break_with(peer);
  }
  return outcome;
}

Buffer* Outbox::free_buffer(Status& failure) {
  if (free_.empty()) {
    if (Status why = fabric_.allocate(kBuffersToSend, Buffer::Purpose::kSend, free_); !why.ok()) {
      failure = std::move(why);
      return nullptr;
    }
  }
  Buffer* const buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void Outbox::work() {
  std::vector<Address> listed;
  listed.swap(listed_);
  for (const Address address : listed) {
    OfiPeer& peer = peers_[address];
    peer.is_listed = false;
    if (!work_for(peer)) list(peer);
  }
}

bool Outbox::work_for(OfiPeer& peer) {
  host_.note_end(peer);
  if (peer.state == OfiPeer::State::kGone || peer.state == OfiPeer::State::kDead) return true;
  if (!peer.is_told) host_.introduce(peer);
  if (peer.state == OfiPeer::State::kUnknown) return peer.is_told;  // it is listed again when it has joined
  if (peer.broken_at_ns != 0) return true;
  while (!peer.unsent.empty()) {
    if (hand_over(peer, *peer.unsent.front()) != Outcome::kDone) return false;
    peer.unsent.pop_front();
  }
  for (; !peer.copied.empty(); peer.copied.pop_front()) {
    Frame frame;
    frame.type = FrameType::kCopied;
    std::ranges::copy(peer.copied.front().words, frame.words);
    if (!inject(peer, frame, nullptr, 0)) return false;
  }
  if (!peer.owes_credits && !peer.owes_answer) return peer.is_told;
  Frame frame;
  frame.type = FrameType::kNothing;
  return inject(peer, frame, nullptr, 0) && peer.is_told;
}

void Outbox::ask_around(std::int64_t now_ns) {
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

void Outbox::ask(OfiPeer& peer) {
  if (!peer.unsent.empty() || peer.broken_at_ns != 0) return;
  Frame frame;
  frame.type = FrameType::kAsk;
  if (inject(peer, frame, nullptr, 0)) peer.asked = peer.sent;
}

void Outbox::take_back(Buffer& buffer, bool failed) {
  free_.push_back(&buffer);
  OfiPeer& peer = peers_[buffer.peer];
  if (peer.under_way == 0) return;  // it has ended
  --peer.under_way;
  --under_way_;
  if (failed) host_.break_with(peer);
}

void Outbox::forget(OfiPeer& peer) {
  for (Buffer* const buffer : peer.unsent) free_.push_back(buffer);
  peer.unsent.clear();
  peer.copied.clear();
  under_way_ -= std::exchange(peer.under_way, 0);
}

}  // namespace starling::transport::ofi
