// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/message_recorder.hpp"

namespace starling::p2p {
namespace {

using observe::Event;

std::uint8_t flags_of(std::uint32_t context_id) noexcept {
  if ((context_id & comm::Communicator::kPartitioned) != 0) return Event::kPartitioned;
  return context_id % 2 != 0 ? Event::kCollective : 0;
}

bool is_announced(const transport::Packet& packet) noexcept {
  return static_cast<PacketKind>(packet.header.kind) == PacketKind::kAnnounce;
}

}  // namespace

observe::TracedMessage MessageRecorder::traced(PeerId peer, const Envelope& envelope, std::uint64_t bytes) noexcept {
  observe::TracedMessage message;
  message.peer = peer;
  message.tag = envelope.tag;
  message.context_id = envelope.context_id & ~(comm::Communicator::kPartitioned | 1U);
  message.bytes = bytes;
  message.flags = flags_of(envelope.context_id);
  return message;
}

void MessageRecorder::sent(const Message& message, bool rendezvous) {
  const Envelope envelope{context_id_of(message), message.comm->rank(), message.tag};
  observe::TracedMessage traced_message = traced(message.comm->peer(message.rank), envelope,
                                                 static_cast<std::uint64_t>(message.count * message.type->size()));
  if (rendezvous) traced_message.flags |= Event::kRendezvous;
  tracer_.sent(traced_message);
}

void MessageRecorder::matched(PeerId peer, const transport::Packet& packet, std::uint64_t number) {
  observe::TracedMessage message = traced(peer, envelope_of(packet.header), bytes_of(packet));
  if (is_announced(packet)) message.flags |= Event::kRendezvous;
  tracer_.received(message, number, 0);
}

void MessageRecorder::keep(PeerId peer, const transport::Packet& packet, std::uint64_t number) {
  const Envelope envelope = envelope_of(packet.header);
  waiting_[{peer.value, envelope.context_id, envelope.tag}].push_back(
      {number, tracer_.time_of_arrival(bytes_of(packet))});
}

MessageRecorder::Arrival MessageRecorder::next_of(PeerId peer, const Envelope& envelope) {
  const auto found = waiting_.find({peer.value, envelope.context_id, envelope.tag});
  if (found == waiting_.end()) return {};
  const Arrival arrival = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) waiting_.erase(found);
  return arrival;
}

void MessageRecorder::tell_taken(const Arrival& arrival, observe::TracedMessage message) {
  message.flags |= Event::kUnexpected;
  tracer_.received(message, arrival.number, arrival.ticks);
}

void MessageRecorder::taken(PeerId peer, const Envelope& envelope, std::uint64_t bytes) {
  tell_taken(next_of(peer, envelope), traced(peer, envelope, bytes));
}

void MessageRecorder::probed(const UnexpectedMessage& message) {
  probed_[&message] = next_of(message.peer, message.envelope);
}

void MessageRecorder::taken_from_probe(const UnexpectedMessage& message) {
  const auto found = probed_.find(&message);
  if (found == probed_.end()) return;
  const Arrival arrival = found->second;
  probed_.erase(found);
  tell_taken(arrival, traced(message.peer, message.envelope, static_cast<std::uint64_t>(message.bytes)));
}

}  // namespace starling::p2p
