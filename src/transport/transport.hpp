// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Transport: an ordered, reliable channel of small packets to each process that it reaches, and direct copies where the
// machine allows. p2p/ builds messages of any size out of these two.
//
// A transport has its own numbers for the processes that it reaches (Address): local ranks in shared memory, world
// ranks in a network. What it receives it reports under the PeerIds that it was told at its creation.
//
// Thread safety: the caller holds the world's lock for every call.
// Invariants: packets from one peer arrive in the order they were sent; a packet that try_send accepted arrives even if
// the sender finalises right after, once flush() has returned true; a payload handed to a Sink is valid only during the
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/address.hpp"
#include "transport/lost_by.hpp"
#include "transport/remote_memory.hpp"
#include "transport/single_copy.hpp"
#include "transport/wake_source.hpp"

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
  virtual void on_packet(PeerId peer, const Packet& packet) = 0;
  /// Whether anybody waits for what comes next. When a packet has ended that, a transport may leave the rest where it
  /// is until the next poll.
  [[nodiscard]] virtual bool is_hungry() const noexcept { return true; }

  /// Of a packet whose long payload arrives in parts: where the payload may be put at once. Null: nowhere, and the
  /// packet is delivered by on_packet. Else it is delivered by on_placed, before anything else of the peer. Asked again
  /// before each part: a place that is withdrawn is not written any more, and the packet is delivered with any content.
  virtual std::byte* destination(PeerId /*peer*/, const PacketHeader& /*header*/, const std::uint64_t (&/*words*/)[2],
                                 std::size_t /*bytes*/) {
    return nullptr;
  }

  /// A packet for which destination() had a place.
  virtual void on_placed(PeerId peer, const Packet& packet) { on_packet(peer, packet); }

  /// The peer is lost without a goodbye (is_dead), and this is the last that comes from it. why: a whole sentence. Not
  /// told of a peer of which peer_failed() has been told.
  virtual void on_lost(PeerId /*peer*/, LostBy /*by*/, const Status& /*why*/) {}

  /// Something that the user should know at once, a whole sentence. The transport goes on.
  virtual void on_trouble(const std::string& /*what*/) {}

 protected:
  ~Sink() = default;
};

/// Sizes in bytes: of the payload of one packet, and of messages.
struct Limits {
  std::size_t max_payload = 0;              ///< of try_send_packed and try_send_words
  std::size_t max_inline = 0;               ///< up to here try_send is the cheapest way
  std::optional<std::int64_t> eager_limit;  ///< longer messages are better announced; none: it is as the job has it
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends header and payload without words. Up to Limits::max_inline bytes ride in the postbox.
  /// False: no room now; nothing was sent, and a later poll may make room.
  virtual bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) = 0;

  /// Sends header, two words and a payload of at most Limits::max_payload bytes, packed straight into the transport's
  /// buffer.
  virtual bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                               datatype::PackCursor& cursor, std::size_t bytes) = 0;

  /// Sends header, two words and a contiguous payload of at most Limits::max_payload bytes.
  virtual bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                              const void* payload, std::size_t bytes) = 0;

  /// How long the payload of a packet may be that begins now, where that may be more than Limits::max_payload.
  [[nodiscard]] virtual std::size_t longest(Address /*to*/) { return 0; }
  /// Begins a packet with two words and a contiguous payload of at most longest() bytes; returns how many of them have
  /// left. The others follow by go_on(); until then nothing else leaves for that peer. None: as false above.
  virtual std::optional<std::size_t> try_begin(Address /*to*/, const PacketHeader& /*header*/,
                                               const std::uint64_t (&/*words*/)[2], const void* /*payload*/,
                                               std::size_t /*bytes*/) {
    return std::nullopt;
  }
  /// The next bytes of the payload that was begun, at most those that are missing; returns how many have left.
  virtual std::size_t go_on(Address /*to*/, const void* /*payload*/, std::size_t bytes) { return bytes; }

  /// Delivers what has arrived; returns whether there was anything.
  virtual bool poll(Sink& sink) = 0;

  /// A poll would find nothing; for a transport that knows it by itself and without asking a peer. Not virtual: every
  /// poll of a rank asks every transport.
  [[nodiscard]] bool idle() const noexcept { return idle_; }

  /// The same for all that it reaches, for as long as it lives.
  [[nodiscard]] virtual Limits limits() const noexcept = 0;

  /// Packets to the peer that it has not taken yet. A rank that was told of some and sleeps is woken when there are
  /// fewer.
  [[nodiscard]] virtual std::uint64_t in_flight(Address to) = 0;

  /// From now on packets to the peer lie in the first so many bytes of its buffers, as far as they fit there (0: in all
  /// of them). For a sender that waits until few are under way; a transport without buffers of a peer's own has nothing
  /// to do.
  virtual void keep_buffers_to(Address to, std::uint64_t bytes) {
    static_cast<void>(to);
    static_cast<void>(bytes);
  }

  /// Moves what it has accepted towards the peers; true when it keeps none of it any more, so that the process may end.
  virtual bool flush() { return true; }

  /// The process may end from now on, and until it sends something else that is not a loss to its peers. Returns
  /// whether all peers that have sent anything have said so, too.
  virtual bool say_goodbye() { return true; }

  /// Credits: bytes of our eager messages that the peer keeps for receives not yet posted, as it last said; and what we
  /// keep of its.
  [[nodiscard]] virtual std::uint64_t held_by(Address peer) = 0;
  virtual void publish_held(Address peer, std::uint64_t bytes) = 0;

  /// The way to copy long messages directly, or null where this transport has none.
  [[nodiscard]] virtual SingleCopy* single_copy() noexcept { return nullptr; }

  /// The way to reach the memory of other processes for one-sided communication, or null.
  [[nodiscard]] virtual RemoteMemory* remote_memory() noexcept { return nullptr; }

  /// What wakes a rank that sleeps; null where senders ring the rank's own doorbell.
  [[nodiscard]] virtual WakeSource* wake_source() noexcept { return nullptr; }

  /// Whether the peer's process is known to be dead.
  [[nodiscard]] virtual bool is_dead(Address peer) const = 0;

  /// The peer is dead: delivers what it had sent before, and from now on delivers nothing from it, and drops what is
  /// under way to it.
  virtual void peer_failed(Address peer, Sink& sink) = 0;

  /// What the user should know about what it has met, a whole sentence; empty: nothing.
  [[nodiscard]] virtual std::string warning() const { return {}; }

  /// Why a try_send that will never succeed returned false (no memory); ok when it is only a matter of time.
  [[nodiscard]] virtual Status take_failure() = 0;

 protected:
  void set_idle(bool idle) noexcept { idle_ = idle; }

 private:
  bool idle_ = false;
};

}  // namespace starling::transport
