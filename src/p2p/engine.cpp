// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/engine.hpp"

#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/receiver.hpp"
#include "p2p/protocol/sender.hpp"

namespace starling::p2p {

namespace {

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

/// Stands for every nonblocking send that had left before its call returned: there is nothing to wait for, cancel or
/// free.
class SentAtOnce final : public Request {
 public:
  SentAtOnce() noexcept : Request(RequestKind::kSend) { finish(); }
  void dispose() override {}
};

void complete_from_nobody(Completion* completion) {
  *completion = Completion{};
  completion->source = kProcNull;
  completion->tag = kAnyTag;
}

class EngineImpl final : public Engine, public progress::Poller, public transport::Sink {
 public:
  EngineImpl(progress::Engine& progress, std::unique_ptr<Peers> peers, const config::Store& config)
      : progress_(progress), config_(config), peers_(std::move(peers)), sender_(*peers_, config), receiver_(*peers_) {
    progress_.add(*this);
  }
  ~EngineImpl() override { progress_.remove(*this); }

  Status send(const Message& message, SendMode mode) override {
    if (message.rank == kProcNull) return {};
    if (mode != SendMode::kSynchronous && sender_.send_short(message)) return {};
    SendRequest* request = sender_.start(message, mode);
    return finish(*request, nullptr);
  }

  Status receive(const Message& message, Completion* completion) override {
    if (message.rank == kProcNull) {
      if (completion) complete_from_nobody(completion);
      return {};
    }
    return finish(*receiver_.start(message), completion);
  }

  Request* isend(const Message& message, SendMode mode) override {
    if (message.rank == kProcNull) return new NullRequest(RequestKind::kSend);
    if (mode != SendMode::kSynchronous && sender_.send_short(message)) return &sent_at_once_;
    return sender_.start(message, mode);
  }

  Request* ireceive(const Message& message) override {
    if (message.rank == kProcNull) return new NullRequest(RequestKind::kReceive);
    return receiver_.start(message);
  }

  bool iprobe(const Message& pattern, Completion* completion) override { return probe(pattern, completion) != nullptr; }

  MatchedMessage* improbe(const Message& pattern, Completion* completion) override {
    UnexpectedMessage* message = probe(pattern, completion);
    if (message) receiver_.take(*message);
    return message;
  }

  Request* imreceive(MatchedMessage& matched, const Message& message) override {
    return receiver_.start_matched(matched, message);
  }

  Result<std::int32_t> attach(memory::JobSegment& segment, std::uint32_t place, std::uint32_t first_context) override {
    Result<std::int32_t> first = peers_->attach(segment, place, first_context, config_);
    if (first.ok()) sender_.limit_short((*peers_)[first.value()].transport->max_payload());
    return first;
  }

  bool busy_with(std::int32_t first) override {
    const Peers::Numbers numbers = peers_->attached_with(first);
    for (std::int32_t i = 0; i < numbers.count; ++i) {
      const Peer& peer = (*peers_)[numbers.first + i];
      if (peer.sends != 0 || !peer.controls.empty() || peer.stream_receive != nullptr) return true;
    }
    return receiver_.receiving_from(numbers);
  }

  void detach(std::int32_t first) override {
    receiver_.forget(peers_->attached_with(first));
    peers_->detach(first);
  }

  Status drain() override {
    progress_.wait([this] { return sender_.in_flight() == 0 && peers_->backlog.empty(); });
    return {};
  }

  progress::Engine& progress() noexcept override { return progress_; }

  transport::RemoteMemory& remote_memory() noexcept override { return peers_->remote_memory(); }

  Pending pending() const override {
    return {receiver_.posted(), receiver_.unexpected(), receiver_.unexpected_bytes(), sender_.in_flight()};
  }

  bool poll() override {
    bool moved = peers_->poll(*this);
    moved |= sender_.poll();
    moved |= receiver_.poll();
    return moved;
  }

  void on_packet(std::int32_t peer, const transport::Packet& packet) override {
    switch (static_cast<PacketKind>(packet.header.kind)) {
      case PacketKind::kEager:
      case PacketKind::kEagerSync: return receiver_.on_eager(peer, packet);
      case PacketKind::kFirst: return receiver_.on_first(peer, packet);
      case PacketKind::kMore: return receiver_.on_more(peer, packet);
      case PacketKind::kAnnounce: return receiver_.on_announce(peer, packet);
      case PacketKind::kData: return receiver_.on_data(packet);
      case PacketKind::kCancel: return receiver_.on_cancel(peer, packet.words[0]);
      case PacketKind::kClearToSend: return sender_.on_clear_to_send(packet.words[0], packet.words[1]);
      case PacketKind::kFetched: return sender_.on_fetched(packet.words[0]);
      case PacketKind::kMatched: return sender_.on_matched(packet.words[0]);
      case PacketKind::kCancelReply: return sender_.on_cancel_reply(packet.words[0], packet.words[1] != 0);
    }
  }

 private:
  /// Looks, and looks again after a poll: a program may probe in a loop and make no other call.
  UnexpectedMessage* probe(const Message& pattern, Completion* completion) {
    if (pattern.rank == kProcNull) return nullptr;
    UnexpectedMessage* message = receiver_.probe(pattern, completion);
    if (message || !progress_.poll()) return message;
    return receiver_.probe(pattern, completion);
  }

  Status finish(Request& request, Completion* completion) {
    wait(request);
    if (completion) *completion = request.completion;
    Status status = std::move(request.failure);
    request.dispose();
    return status;
  }

  progress::Engine& progress_;
  const config::Store& config_;
  std::unique_ptr<Peers> peers_;
  Sender sender_;
  Receiver receiver_;
  SentAtOnce sent_at_once_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(progress::Engine& progress, const config::Store& config) {
  auto peers = Peers::create(progress.segment(), progress.rank(), config);
  if (!peers.ok()) return std::move(peers).status();
  return std::unique_ptr<Engine>(std::make_unique<EngineImpl>(progress, std::move(peers).value(), config));
}

}  // namespace starling::p2p
