// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Transport: an ordered, reliable channel of small packets to each peer, and direct copies where the machine allows.
// p2p/ builds messages of any size out of these two.
//
// Thread safety: the caller holds the world's lock for every call.
// Invariants: packets from one peer arrive in the order they were sent; a packet that try_send accepted arrives even if
// the sender finalises right after; a payload handed to a Sink is valid only during the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "transport/single_copy.hpp"

namespace starling::datatype {
class PackCursor;
}

namespace starling::transport {

/// What every packet carries beside its payload. p2p/ gives kind, flags and words their meaning.
struct PacketHeader {
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint32_t context_id = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;  ///< the sender's rank in the communicator
};

/// A packet as its receiver sees it.
struct Packet {
  PacketHeader header;
  std::uint64_t words[2] = {0, 0};  ///< as given to try_send; zero for inline packets without words
  std::span<const std::byte> payload;
};

/// Takes the packets that a poll finds.
class Sink {
 public:
  virtual void on_packet(std::int32_t peer, const Packet& packet) = 0;

 protected:
  ~Sink() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends header and payload without words. bytes <= max_inline() rides in the postbox.
  /// False: no room now; nothing was sent, and a later poll may make room.
  virtual bool try_send(std::int32_t peer, const PacketHeader& header, const void* payload, std::size_t bytes) = 0;

  /// Sends header, two words and a payload of at most max_payload() bytes, packed straight into the transport's buffer.
  virtual bool try_send_packed(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                               datatype::PackCursor& cursor, std::size_t bytes) = 0;

  /// Sends header, two words and a contiguous payload of at most max_payload() bytes.
  virtual bool try_send_words(std::int32_t peer, const PacketHeader& header, const std::uint64_t (&words)[2],
                              const void* payload, std::size_t bytes) = 0;

  /// Delivers what has arrived; returns whether there was anything.
  virtual bool poll(Sink& sink) = 0;

  /// Largest payload of one packet, bytes.
  [[nodiscard]] virtual std::size_t max_payload() const noexcept = 0;
  [[nodiscard]] virtual std::size_t max_inline() const noexcept = 0;

  /// Packets to the peer that it has not taken yet.
  [[nodiscard]] virtual std::uint64_t in_flight(std::int32_t peer) = 0;

  /// Credits: bytes of our eager messages that the peer keeps for receives not yet posted, as it last said; and what we
  /// keep of its.
  [[nodiscard]] virtual std::uint64_t held_by(std::int32_t peer) = 0;
  virtual void publish_held(std::int32_t peer, std::uint64_t bytes) = 0;

  /// The way to copy long messages directly, or null where this transport has none.
  [[nodiscard]] virtual SingleCopy* single_copy() noexcept { return nullptr; }

  /// Whether the death of the peer's process has been published.
  [[nodiscard]] virtual bool is_dead(std::int32_t peer) const = 0;

  /// Why a try_send that will never succeed returned false (no memory); ok when it is only a matter of time.
  [[nodiscard]] virtual Status take_failure() = 0;
};

}  // namespace starling::transport
