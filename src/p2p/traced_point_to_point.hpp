// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TracedPointToPoint: the messages of a traced rank, of which the tracer hears: when they are sent, and when they have
// met their receives. Thread safety: as PointToPoint.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "p2p/protocol/message_recorder.hpp"
#include "p2p/rank_point_to_point.hpp"

namespace starling::p2p {

class TracedPointToPoint final : public RankPointToPoint {
 public:
  TracedPointToPoint(progress::Engine& progress, std::unique_ptr<Peers> peers, const config::Store& config,
                     observe::Tracer& tracer)
      : RankPointToPoint(progress, std::move(peers), config), recorder_(tracer) {}

  Status send(const Message& message, SendMode mode) override {
    note_sent(message, mode);
    return RankPointToPoint::send(message, mode);
  }
  Request* isend(const Message& message, SendMode mode) override {
    note_sent(message, mode);
    return RankPointToPoint::isend(message, mode);
  }

  Status receive(const Message& message, Completion* completion) override {
    return finish(*TracedPointToPoint::ireceive(message), completion);
  }
  Request* ireceive(const Message& message) override {
    const std::int64_t before = pending().unexpected_messages;
    Request* request = RankPointToPoint::ireceive(message);
    if (pending().unexpected_messages < before) {
      const auto& receive = static_cast<const ReceiveRequest&>(*request);
      recorder_.taken(receive.peer, {context_id_of(message), receive.completion.source, receive.completion.tag},
                      static_cast<std::uint64_t>(receive.message_bytes));
    }
    return request;
  }
  MatchedMessage* improbe(const Message& pattern, Completion* completion) override {
    MatchedMessage* message = RankPointToPoint::improbe(pattern, completion);
    if (message != nullptr) recorder_.probed(*message);
    return message;
  }
  Request* imreceive(MatchedMessage& matched, const Message& message) override {
    recorder_.taken_from_probe(matched);  // before, since the message is then used again
    return RankPointToPoint::imreceive(matched, message);
  }

  void on_packet(PeerId peer, const transport::Packet& packet) override {
    if (!begins_message(packet)) return RankPointToPoint::on_packet(peer, packet);
    const std::uint64_t number = recorder_.arrived(peer);
    const std::int64_t before = pending().unexpected_messages;
    RankPointToPoint::on_packet(peer, packet);
    pending().unexpected_messages > before ? recorder_.keep(peer, packet, number)
                                           : recorder_.matched(peer, packet, number);
  }
  void on_placed(PeerId peer, const transport::Packet& packet) override {
    if (begins_message(packet)) recorder_.matched(peer, packet, recorder_.arrived(peer));
    RankPointToPoint::on_placed(peer, packet);
  }

 private:
  void note_sent(const Message& message, SendMode mode) {
    if (message.rank == kProcNull || (message.comm->condition() != comm::kSound && !refusal(message).ok())) return;
    const std::int64_t bytes = message.count * message.type->size();
    recorder_.sent(message, mode == SendMode::kSynchronous || bytes > eager_limit(message.comm->peer(message.rank)));
  }

  MessageRecorder recorder_;
};

}  // namespace starling::p2p
