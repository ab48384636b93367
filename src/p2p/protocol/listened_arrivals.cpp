// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/protocol/listened_arrivals.hpp"

namespace starling::p2p {
namespace {

using observe::OccurrenceKind;

}  // namespace

bool ListenedArrivals::poll() {
  bool moved = peers_.poll(*this);
  moved |= sender_.send_waiting();
  // What comes first: where all do so, each rank copies its own messages, and none does the other's work meanwhile.
  const bool received = receiver_.poll();
  moved |= received || sender_.help_receivers();
  moved |= controls_.poll();
  return moved;
}

void ListenedArrivals::on_packet(PeerId peer, const transport::Packet& packet) {
  if (!begins_message(packet)) return sink_.on_packet(peer, packet);
  const Envelope envelope = envelope_of(packet.header);
  const Receiver::Fate fate = receiver_.fate_of(envelope);
  if (fate == Receiver::Fate::kMatches) peers_.tell(OccurrenceKind::kMessageMatched, envelope, bytes_of(packet));
  sink_.on_packet(peer, packet);
  if (fate == Receiver::Fate::kWaits) peers_.tell(OccurrenceKind::kMessageEarly, envelope, bytes_of(packet));
}

void ListenedArrivals::on_placed(PeerId peer, const transport::Packet& packet) {
  if (begins_message(packet))
    peers_.tell(OccurrenceKind::kMessageMatched, envelope_of(packet.header), bytes_of(packet));
  sink_.on_placed(peer, packet);
}

}  // namespace starling::p2p
