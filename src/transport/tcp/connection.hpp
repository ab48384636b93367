// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Connection: a socket to a peer that has proved itself, and what is kept of its traffic.
// Thread safety: the world's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/descriptor.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/incoming.hpp"
#include "transport/tcp/outgoing.hpp"
#include "transport/tcp/silence.hpp"

namespace starling::transport::tcp {

struct Connection {
  /// Packets that leave at once between two polls: a rank that sends a few and then computes sends them all.
  static constexpr std::uint32_t kMostAtOnce = 4;
  /// The system tells of room when a third of a socket's memory is free, but the socket takes more before. So the rest
  /// of a payload is tried at every poll; after so many tries in vain, of all peers together, it waits for the event.
  static constexpr std::size_t kTriesInVain = 1000;
  /// Packets with longer payloads do not wait for others.
  static constexpr std::size_t kMostGathered = 4096;

  Connection(Descriptor connected, std::size_t max_payload) noexcept
      : socket(std::move(connected)), incoming(max_payload) {}

  [[nodiscard]] bool has_all_written() const noexcept { return outgoing.kept_bytes() == 0 && !outgoing.owes(); }
  /// All that was written has reached the peer's machine.
  [[nodiscard]] bool has_all_acknowledged() const noexcept;

  /// Which events of its socket the set tells.
  void watch_for(EventSet& events, Address peer, EventSet::Watch what) noexcept;

  /// The rest of a payload is not tried before the event that its socket has room. begun: how many peers owe one.
  [[nodiscard]] bool awaits_event(std::size_t begun) const noexcept { return in_vain * begun >= kTriesInVain; }

  /// It may end from now on.
  void say_goodbye() noexcept;
  /// Ends with a goodbye; reads what the peer has sent meanwhile, since the system would call a close a reset
  /// otherwise.
  void end(std::span<std::byte> staging) noexcept;

  /// A packet that begins now waits for others, so that one write takes them all.
  [[nodiscard]] bool gathers(std::size_t bytes, std::uint64_t now_round) const noexcept {
    return bytes <= kMostGathered && (!has_all_written() || (round == now_round && at_once >= kMostAtOnce));
  }
  /// A packet has left at once in this round.
  void note_left(std::uint64_t now_round) noexcept {
    at_once = round == now_round ? at_once + 1 : 1;
    round = now_round;
  }

  Descriptor socket;
  Outgoing outgoing;
  Incoming incoming;
  Silence silence;
  EventSet::Watch watch = EventSet::Watch::kReading;
  std::uint64_t round = 0;      ///< of polls, in which packets have left at once
  std::uint32_t at_once = 0;    ///< how many in it
  bool is_listed = false;       ///< among those that have packets to write
  std::uint32_t in_vain = 0;    ///< how often in a row the socket took nothing of the rest of a payload
  bool is_begun = false;        ///< among those that owe the rest of a payload
  bool peer_has_ended = false;  ///< it has said goodbye, and nothing after it
};

}  // namespace starling::transport::tcp
