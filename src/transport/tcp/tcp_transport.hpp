// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TcpTransport: reaches ranks on other nodes over TCP, by one connection to each with which it talks, opened by the
// first packet. An address is a world rank.
// Thread safety: the world's lock; those of several ranks may be used at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "transport/surroundings.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/expected_sender.hpp"
#include "transport/tcp/introductions.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/tcp_peers.hpp"
#include "transport/tcp/tcp_striping.hpp"
#include "transport/transport.hpp"

namespace starling::transport::tcp {

class TcpTransport final : public Transport, private Introductions::Host, private Striping::Host {
 public:
  static constexpr std::size_t kMaxPayload = 256 * 1024;
  /// Of one that is sent straight from where it lies, as the socket takes it.
  static constexpr std::size_t kLongest = kLongestPacket;

  static std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank);
  static Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings);
  static Result<std::unique_ptr<TcpTransport>> create(const Surroundings& surroundings, observe::PacketCounts counts);
  /// endpoint: outlives the transport, which is the only one of the rank. first_peer: the number of world rank 0; the
  /// others follow it. counts: of its packets. at_once: the ranks to which it connects before anything is sent, so that
  /// their end is noticed.
  static Result<std::unique_ptr<TcpTransport>> create(const Endpoint& endpoint, const Settings& settings,
                                                      WorldRank rank, PeerId first_peer,
                                                      observe::PacketCounts counts = {},
                                                      std::span<const WorldRank> at_once = {});
  ~TcpTransport() override;

  bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2], const void* payload,
                      std::size_t bytes) override;
  bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  [[nodiscard]] std::size_t longest(Address to) override;
  std::optional<std::size_t> try_begin(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                                       const void* payload, std::size_t bytes) override;
  std::size_t go_on(Address to, const void* payload, std::size_t bytes) override;
  bool poll(Sink& sink) override;
  bool flush() override;
  bool say_goodbye() override;

  [[nodiscard]] Limits limits() const noexcept override { return {kMaxPayload, kMaxPayload, settings_.eager_limit}; }
  [[nodiscard]] std::uint64_t in_flight(Address to) override;
  [[nodiscard]] std::uint64_t held_by(Address peer) override;
  void publish_held(Address peer, std::uint64_t bytes) override;
  [[nodiscard]] WakeSource* wake_source() noexcept override { return &wake_source_; }
  [[nodiscard]] bool is_dead(Address peer) const override { return peers_.state_of(peer) == TcpPeer::State::kDead; }
  void peer_failed(Address peer, Sink& sink) override;
  [[nodiscard]] Status take_failure() override { return std::move(failure_); }

  [[nodiscard]] std::string warning() const override;

  [[nodiscard]] const TcpPeers& peers() const noexcept { return peers_; }

  /// Connections that were closed because no rank of this job had opened them.
  [[nodiscard]] std::uint64_t strangers() const noexcept { return introductions_.strangers(); }

 private:
  class Waker final : public WakeSource {
   public:
    explicit Waker(TcpTransport& transport) noexcept : transport_(transport) {}
    [[nodiscard]] int descriptor() const noexcept override { return transport_.events_.descriptor(); }
    bool arm() override;

   private:
    TcpTransport& transport_;
  };

  /// What is read goes there first. Aligned: see PaddedFrame.
  struct alignas(4096) Staging {
    std::byte bytes[64 * 1024];
  };

  TcpTransport(const Endpoint& endpoint, Settings settings, WorldRank rank, EventSet events, PeerId first_peer,
               observe::PacketCounts counts);

  // Introductions::Host
  [[nodiscard]] bool may_join(WorldRank rank) const override {
    return peers_.state_of(Address(rank.value)) == TcpPeer::State::kUnknown;
  }
  void join(WorldRank rank, Descriptor socket) override;
  void give_up(WorldRank rank, Status why) override;

  // Striping::Host
  void note_outgoing(Address to, Connection& connection) override;

  enum class Room : std::uint8_t { kThereIs, kFull, kOfNoUse };
  /// Whether a packet to the peer can be sent; opens the connection. stripes: where it takes several links. kOfNoUse:
  /// it has ended, drop the packet.
  [[nodiscard]] Room room_to(Address to, std::size_t bytes, const Stripes* stripes = nullptr);
  /// Writes what is kept, and credits that no packet has taken along since they changed.
  void write_kept();

  /// There is room for it.
  void send(Address to, Frame frame, const void* payload);

  bool look(Sink& sink);
  bool serve(Address address, std::uint32_t events, Sink& sink);
  bool receive(Address from, Sink& sink);
  /// The connection has ended.
  void end(Address address, Sink& sink);
  void disconnect(Address address);
  void tell_losses(Sink& sink);
  void look_for_silence(std::int64_t now_ns, Sink& sink);

  const Endpoint endpoint_;
  const Settings settings_;
  WorldRank rank_;
  observe::PacketCounts counts_;
  EventSet events_;
  Introductions introductions_;
  TcpPeers peers_;
  std::unique_ptr<Staging> staging_;
  Striping striping_;
  std::vector<std::byte> packed_;  ///< a payload that is packed before it is cut
  std::vector<Address> to_write_;
  std::vector<Address> begun_;  ///< that owe the rest of a payload
  OwedCredits owed_;
  std::vector<Address> lost_;      ///< of which the sink has not been told
  LookTimer look_timer_{events_};  ///< of look_for_silence()
  std::uint64_t round_ = 1;        ///< of polls
  std::uint32_t pause_ = 0;        ///< polls until the sockets are looked at
  std::uint32_t looks_ = 0;        ///< at the sockets
  ExpectedSender expected_;
  bool flushing_ = false;  ///< the last flush() was false
  Status failure_;
  Waker wake_source_{*this};
};

}  // namespace starling::transport::tcp
