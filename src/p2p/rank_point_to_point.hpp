// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankPointToPoint: the messages of a rank over the transports that reach its peers.
// Thread safety: as PointToPoint.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "p2p/point_to_point.hpp"
#include "p2p/protocol/control_traffic.hpp"
#include "p2p/protocol/listened_arrivals.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/receiver.hpp"
#include "p2p/protocol/sender.hpp"

namespace starling::p2p {

/// A request that was complete before it began: traffic with MPI_PROC_NULL.
class NullRequest final : public Request {
 public:
  explicit NullRequest(RequestKind kind) noexcept : Request(kind) {
    completion.source = kProcNull;
    completion.tag = kAnyTag;
    finish();
  }
  void dispose() override { delete this; }
};

/// A request that has failed before it began.
class FailedRequest final : public Request {
 public:
  FailedRequest(RequestKind kind, Status why) : Request(kind) {
    failure = std::move(why);
    finish();
  }
  void dispose() override { delete this; }
};

/// Why a message cannot be exchanged on a communicator that is not sound, or success.
inline Status refusal(const Message& message) {
  const comm::Condition condition = message.comm->condition();
  if ((condition & comm::kRevoked) != 0) return revoked();
  if (message.channel == Channel::kCollective && (condition & comm::kBroken) != 0) return process_failed(kAnySource);
  return {};
}

/// Stands for every nonblocking send that had left before its call returned: nothing is left to wait for, cancel or
/// free.
class SentAtOnce final : public Request {
 public:
  SentAtOnce() noexcept : Request(RequestKind::kSend) { finish(); }
  void dispose() override {}
};

inline void complete_from_null_process(Completion* completion) {
  *completion = Completion{};
  completion->source = kProcNull;
  completion->tag = kAnyTag;
}

class RankPointToPoint : public PointToPoint, public progress::Poller, public transport::Sink {
 public:
  RankPointToPoint(progress::Engine& progress, std::unique_ptr<Peers> peers, const config::Store& config)
      : Poller(Serves::kFarRanks),
        progress_(progress),
        peers_(std::move(peers)),
        sender_(*peers_, config),
        receiver_(*peers_),
        controls_(*peers_),
        listened_(*this, *peers_, sender_, receiver_, controls_) {
    progress_.add(*this);
    for (const auto& transport : peers_->transports()) {
      if (transport::WakeSource* source = transport->wake_source()) progress_.add_wake_source(*source);
    }
  }
  ~RankPointToPoint() override {
    for (const auto& transport : peers_->transports()) {
      if (transport::WakeSource* source = transport->wake_source()) progress_.remove_wake_source(*source);
    }
    RankPointToPoint::set_listener(nullptr);
    progress_.remove(*this);
  }

  Status send(const Message& message, SendMode mode) override {
    if (message.comm->condition() != comm::kSound) [[unlikely]]
      STARLING_TRY(refusal(message));
    if (message.rank == kProcNull) return {};
    if (mode != SendMode::kSynchronous && sender_.send_short(message)) return {};
    SendRequest* request = sender_.start(message, mode);
    return finish(*request, nullptr);
  }

  Status receive(const Message& message, Completion* completion) override {
    if (message.comm->condition() != comm::kSound) [[unlikely]]
      STARLING_TRY(refusal(message));
    if (message.rank == kProcNull) {
      if (completion) complete_from_null_process(completion);
      return {};
    }
    return finish(*receiver_.start(message), completion);
  }

  Request* isend(const Message& message, SendMode mode) override {
    if (message.comm->condition() != comm::kSound) [[unlikely]] {
      if (Status why = refusal(message); !why.ok()) return new FailedRequest(RequestKind::kSend, std::move(why));
    }
    if (message.rank == kProcNull) return new NullRequest(RequestKind::kSend);
    if (mode != SendMode::kSynchronous && sender_.send_short(message)) return &sent_at_once_;
    return sender_.start(message, mode);
  }

  Request* ireceive(const Message& message) override {
    if (message.comm->condition() != comm::kSound) [[unlikely]] {
      if (Status why = refusal(message); !why.ok()) return new FailedRequest(RequestKind::kReceive, std::move(why));
    }
    if (message.rank == kProcNull) return new NullRequest(RequestKind::kReceive);
    return receiver_.start(message);
  }

  bool iprobe(const Message& pattern, Completion* completion) override {
    return pattern.rank != kProcNull && receiver_.probe(pattern, completion) != nullptr;
  }

  MatchedMessage* improbe(const Message& pattern, Completion* completion) override {
    if (pattern.rank == kProcNull) return nullptr;
    UnexpectedMessage* message = receiver_.probe(pattern, completion);
    if (message) receiver_.take(*message);
    return message;
  }

  Request* imreceive(MatchedMessage& matched, const Message& message) override {
    if (message.comm->condition() != comm::kSound) [[unlikely]] {
      if (Status why = refusal(message); !why.ok()) {
        receiver_.abandon(matched);
        return new FailedRequest(RequestKind::kReceive, std::move(why));
      }
    }
    return receiver_.start_matched(matched, message);
  }

  Result<PeerId> attach(const transport::Surroundings& processes, std::uint32_t first_context) override {
    Result<PeerId> first = peers_->attach(processes, first_context);
    if (!first.ok()) return first;
    for (transport::Transport* const transport : peers_->transports_of(first.value())) {
      if (transport::WakeSource* source = transport->wake_source()) progress_.add_wake_source(*source);
    }
    return first;
  }

  bool part_with(PeerId first) override {
    bool all = true;
    for (transport::Transport* const transport : peers_->transports_of(first)) all &= transport->say_goodbye();
    const Peers::Numbers numbers = peers_->attached_with(first);
    for (std::int32_t i = 0; i < numbers.count; ++i) {
      const Peer& peer = (*peers_)[PeerId(numbers.first.value + i)];
      if (peer.sends != 0 || !peer.controls.empty() || peer.stream_receive != nullptr) return false;
    }
    return all && !receiver_.receiving_from(numbers);
  }

  void detach(PeerId first) override {
    receiver_.forget(peers_->attached_with(first));
    for (transport::Transport* const transport : peers_->transports_of(first)) {
      if (transport::WakeSource* source = transport->wake_source()) progress_.remove_wake_source(*source);
    }
    peers_->detach(first);
  }

  void mark_failed(PeerId number) override {
    Peer& peer = (*peers_)[number];
    transport::Sink& own = *this;
    peer.transport->peer_failed(peer.address, peers_->listener() != nullptr ? listened_ : own);
    peer.dead = true;
    peer.has_backlog = true;  // so that no send takes the short path
    peer.controls.clear();
    controls_.forget(number);
    const Status why = process_failed(kAnySource);
    sender_.mark_failed(number, why);
    receiver_.mark_failed(number, why);
  }
  bool has_failed(PeerId peer) override { return (*peers_)[peer].dead; }
  void interrupt(std::uint32_t context_id, const Status& why) override {
    sender_.interrupt(context_id, why);
    receiver_.interrupt(context_id, why);
  }
  bool busy_in(std::uint32_t context_id) override {
    return sender_.busy_in(context_id) || receiver_.busy_in(context_id);
  }
  void suspend_wildcards(std::uint32_t context_id, bool suspended) override {
    receiver_.suspend_wildcards(context_id, suspended);
  }

  void set_on_lost_peer(OnLostPeer hook) override { on_lost_peer_ = std::move(hook); }
  void on_lost(PeerId peer, transport::LostBy by, const Status& why) override {
    if (on_lost_peer_ && !has_failed(peer)) on_lost_peer_(peer, by, why);
  }

  void set_on_trouble(OnTrouble hook) override { on_trouble_ = std::move(hook); }
  void on_trouble(const std::string& what) override {
    if (on_trouble_) on_trouble_(what);
  }

  void send_control(PeerId peer, ControlMessage control) override { controls_.send(peer, std::move(control)); }
  std::size_t max_control_bytes() const noexcept override { return peers_->smallest_max_payload(); }
  void listen(ControlListener listener) override { controls_.listen(std::move(listener)); }

  Status check_probe(const Message& pattern) override {
    STARLING_TRY(refusal(pattern));
    if (pattern.rank == kProcNull) return {};
    if (pattern.rank == kAnySource) {
      const bool in_vain = (pattern.comm->condition() & comm::kUnacknowledged) != 0;
      return in_vain ? process_failed(kAnySource) : Status();
    }
    return (*peers_)[pattern.comm->peer(pattern.rank)].dead ? process_failed(pattern.rank) : Status();
  }

  Status drain() override {
    progress_.wait(
        [this] { return sender_.in_flight() == 0 && peers_->backlog.empty() && controls_.idle() && peers_->flush(); },
        [] { return observe::Wait(observe::WaitKind::kFinalize); });
    return {};
  }

  void say_goodbye() override {
    for (const auto& transport : peers_->transports()) transport->say_goodbye();
  }

  progress::Engine& progress() noexcept override { return progress_; }

  observe::Awaited awaited_in(std::uint32_t context_id) const override { return receiver_.awaited_in(context_id); }

  PeerAccess memory_of(PeerId number) noexcept override {
    const Peer& peer = (*peers_)[number];
    return {peer.transport->remote_memory(), peer.address};
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> found;
    for (const auto& transport : peers_->transports()) {
      if (std::string warning = transport->warning(); !warning.empty()) found.push_back(std::move(warning));
    }
    return found;
  }

  Pending pending() const override {
    return {receiver_.posted(), receiver_.unexpected(), receiver_.unexpected_bytes(), sender_.in_flight()};
  }

  bool poll() override {
    bool moved = peers_->poll(*this);
    moved |= sender_.send_waiting();
    // What comes first: where all do so, each rank copies its own messages, and none does the other's work meanwhile.
    const bool received = receiver_.poll();
    moved |= received || sender_.help_receivers();
    moved |= controls_.poll();
    return moved;
  }

  void set_listener(observe::Listener* listener) override {
    const bool listened = peers_->listener() != nullptr;
    peers_->set_listener(listener);
    if (listened == (listener != nullptr)) return;
    if (listened) {
      progress_.remove(listened_, this);
    } else {
      progress_.remove(*this, &listened_);
    }
  }

  void on_packet(PeerId peer, const transport::Packet& packet) override {
    if (packet.header.flags != 0) [[unlikely]]
      peers_->hear_way(peer, packet);
    switch (static_cast<PacketKind>(packet.header.kind)) {
      case PacketKind::kEager:
      case PacketKind::kEagerSync: return receiver_.on_eager(peer, packet);
      case PacketKind::kFirst: return receiver_.on_first(peer, packet);
      case PacketKind::kMore: return receiver_.on_more(peer, packet);
      case PacketKind::kOffer: return receiver_.on_offer(peer, packet);
      case PacketKind::kAnnounce: return receiver_.on_announce(peer, packet);
      case PacketKind::kData: return receiver_.on_data(packet);
      case PacketKind::kCancel: return receiver_.on_cancel(peer, packet.words[0]);
      case PacketKind::kClearToSend: return sender_.on_clear_to_send(peer, packet.words[0], packet.words[1]);
      case PacketKind::kFetched: return sender_.on_fetched(packet.words[0]);
      case PacketKind::kMatched: return sender_.on_matched(packet.words[0]);
      case PacketKind::kCancelReply: return sender_.on_cancel_reply(packet.words[0], packet.words[1] != 0);
      case PacketKind::kNoData: return receiver_.on_no_data(packet.words[0]);
      case PacketKind::kControl: return controls_.on_control(peer, packet);
    }
  }

  /// What nobody waits for would have to be kept aside.
  [[nodiscard]] bool is_hungry() const noexcept override { return receiver_.posted() != 0; }

  std::byte* destination(PeerId peer, const transport::PacketHeader& header, const std::uint64_t (&words)[2],
                         std::size_t bytes) override {
    switch (static_cast<PacketKind>(header.kind)) {
      case PacketKind::kData: return Receiver::place_of_data(words[0], bytes);
      case PacketKind::kEager:
      case PacketKind::kEagerSync: return receiver_.place_of_eager(peer, header, bytes, bytes);
      case PacketKind::kFirst: return receiver_.place_of_eager(peer, header, words[0], bytes);
      case PacketKind::kMore: return receiver_.place_of_more(peer, bytes);
      default: return nullptr;
    }
  }

  void on_placed(PeerId peer, const transport::Packet& packet) override {
    if (static_cast<PacketKind>(packet.header.kind) == PacketKind::kData) return receiver_.on_data(packet);
    receiver_.on_placed_eager(peer, packet);
  }

 protected:
  /// Longer messages to the peer are announced before they are sent.
  [[nodiscard]] std::int64_t eager_limit(PeerId peer) const noexcept { return (*peers_)[peer].eager_limit; }

  Status finish(Request& request, Completion* completion) {
    if (!request.settled()) wait(request);  // asked here, since a wait is a call
    if (request.suspended()) [[unlikely]] {
      // The caller cannot come back to a blocking receive: it ends.
      request.cancel();
      if (completion) *completion = request.completion;
      request.dispose();
      return process_failed(kAnySource);
    }
    if (completion) *completion = request.completion;
    Status status = std::move(request.failure);
    request.dispose();
    return status;
  }

 private:
  progress::Engine& progress_;
  std::unique_ptr<Peers> peers_;
  Sender sender_;
  Receiver receiver_;
  SentAtOnce sent_at_once_;
  ControlTraffic controls_;
  OnLostPeer on_lost_peer_;
  OnTrouble on_trouble_;
  ListenedArrivals listened_;  ///< polled in place of this while somebody listens to messages
};

}  // namespace starling::p2p
