// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_transport.hpp"

#include <utility>

#include "datatype/pack/pack.hpp"
#include "simulate/memory_costs.hpp"
#include "simulate/simulated_time.hpp"

namespace starling::simulate {

using transport::Address;
using transport::PacketHeader;

SimulatedTransport::SimulatedTransport(SimulatedNetwork& network, const transport::Surroundings& surroundings)
    : network_(network),
      rank_(surroundings.rank),
      counts_(surroundings.packet_counts()),
      inbox_(surroundings.segment.rank(surroundings.local_rank()).doorbell),
      credits_(static_cast<std::size_t>(network.ranks())) {
  network_.enter(rank_, inbox_);
}

void SimulatedTransport::post(Address to, Frame frame) {
  Credits& credits = credits_[to.index()];
  frame.held = credits.held_here;
  if (std::exchange(credits.owed, false)) std::erase(owed_, to);
  if (frame.is_packet) counts_.gives(rank_of(to));
  spend_ns(network_.overheads().send_ns);
  network_.send(rank_, rank_of(to), std::move(frame));
}

bool SimulatedTransport::try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) {
  return try_send_words(to, header, {0, 0}, payload, bytes);
}

bool SimulatedTransport::try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                        const void* payload, std::size_t bytes) {
  const CountedMemory not_on_the_node(nullptr);
  const auto* const first = static_cast<const std::byte*>(payload);
  post(to, {header, {words[0], words[1]}, {first, first + bytes}});
  return true;
}

bool SimulatedTransport::try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                         datatype::PackCursor& cursor, std::size_t bytes) {
  const CountedMemory not_on_the_node(nullptr);
  Frame frame{header, {words[0], words[1]}, std::vector<std::byte>(bytes)};
  frame.payload.resize(cursor.pack(frame.payload.data(), bytes));
  post(to, std::move(frame));
  return true;
}

std::optional<std::size_t> SimulatedTransport::try_begin(Address to, const PacketHeader& header,
                                                         const std::uint64_t (&words)[2], const void* payload,
                                                         std::size_t bytes) {
  try_send_words(to, header, words, payload, bytes);
  return bytes;
}

void SimulatedTransport::publish_held(Address peer, std::uint64_t bytes) {
  Credits& credits = credits_[peer.index()];
  credits.held_here = bytes;
  if (!std::exchange(credits.owed, true)) owed_.push_back(peer);
}

bool SimulatedTransport::poll(transport::Sink& sink) {
  const CountedMemory not_on_the_node(nullptr);
  // Only those that no packet has taken along since they changed.
  for (const Address peer : std::vector<Address>(owed_)) {
    Frame credits;
    credits.is_packet = false;
    post(peer, std::move(credits));
  }
  if (inbox_.empty()) return false;
  for (const Arrival& arrival : inbox_.take()) {
    const Frame& frame = arrival.frame;
    spend_ns(network_.overheads().receive_ns);
    credits_[arrival.from.index()].held_there = frame.held;
    network_.note_taken(arrival.from, rank_);
    if (!frame.is_packet) continue;
    sink.on_packet(peer_of(arrival.from), {frame.header, {frame.words[0], frame.words[1]}, frame.payload});
    counts_.takes();
  }
  return true;
}

}  // namespace starling::simulate
