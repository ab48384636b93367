// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MessageRecorder: tells the tracer of a traced rank which messages it sends, which come, and when they meet their
// receives. Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

#include "observe/tracer.hpp"
#include "p2p/protocol/unexpected_message.hpp"
#include "p2p/request/message.hpp"
#include "transport/transport.hpp"

namespace starling::p2p {

class MessageRecorder {
 public:
  explicit MessageRecorder(observe::Tracer& tracer) noexcept : tracer_(tracer) {}

  /// A send begins that is not refused. rendezvous: its sender waits for the receive.
  void sent(const Message& message, bool rendezvous);

  /// The first packet of a message has come: the message's number.
  std::uint64_t arrived(PeerId peer) { return tracer_.arrived(peer); }
  /// ... and has met its receive.
  void matched(PeerId peer, const transport::Packet& packet, std::uint64_t number);
  /// ... and waits for its receive.
  void keep(PeerId peer, const transport::Packet& packet, std::uint64_t number);

  /// A receive has taken the earliest message with this envelope that waited.
  void taken(PeerId peer, const Envelope& envelope, std::uint64_t bytes);
  /// A matched probe has taken it, and a receive has then taken it from there.
  void probed(const UnexpectedMessage& message);
  void taken_from_probe(const UnexpectedMessage& message);

 private:
  struct Arrival {
    std::uint64_t number = 0;
    std::uint64_t ticks = 0;
  };
  using Key = std::tuple<std::int32_t, std::uint32_t, std::int32_t>;  ///< peer, context id, tag

  static observe::TracedMessage traced(PeerId peer, const Envelope& envelope, std::uint64_t bytes) noexcept;
  Arrival next_of(PeerId peer, const Envelope& envelope);
  void tell_taken(const Arrival& arrival, observe::TracedMessage message);

  observe::Tracer& tracer_;
  std::map<Key, std::deque<Arrival>> waiting_;  ///< in the order in which they came
  std::unordered_map<const UnexpectedMessage*, Arrival> probed_;
};

}  // namespace starling::p2p
