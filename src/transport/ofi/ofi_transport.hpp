// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OfiTransport: reaches ranks on other nodes over libfabric. Two ranks tell each other where they are by their TCP
// connection, which stays: by its end each learns that the other has ended or died. All packets go over the fabric. An
// address is a world rank.
// Thread safety: the world's lock; those of several ranks may be used at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "observe/packet_counts.hpp"
#include "transport/ofi/arrivals.hpp"
#include "transport/ofi/copies.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/ofi/ofi_peers.hpp"
#include "transport/ofi/outbox.hpp"
#include "transport/ofi/settings.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "transport/transport.hpp"

namespace starling::transport::ofi {

class OfiTransport final : public Transport,
                           private Sink,
                           private Copies::Host,
                           private Outbox::Host,
                           private Arrivals::Host {
 public:
  static constexpr std::size_t kMaxPayload = kPacketBytes - sizeof(Frame);

  /// tcp: reaches the same ranks at the same addresses, reports them by the same numbers, and belongs to this transport
  /// alone. roster: of the job, outlives it. first_peer: the number of world rank 0; the others follow it.
  static Result<std::unique_ptr<OfiTransport>> create(std::unique_ptr<tcp::TcpTransport> tcp,
                                                      std::unique_ptr<Fabric> fabric, const tcp::Roster& roster,
                                                      const Settings& settings, WorldRank rank, PeerId first_peer,
                                                      observe::PacketCounts counts = {});

  bool try_send(Address to, const PacketHeader& header, const void* payload, std::size_t bytes) override;
  bool try_send_words(Address to, const PacketHeader& header, const std::uint64_t (&words)[2], const void* payload,
                      std::size_t bytes) override;
  bool try_send_packed(Address to, const PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  bool poll(Sink& sink) override;
  bool flush() override;
  bool say_goodbye() override;

  [[nodiscard]] Limits limits() const noexcept override { return {kMaxPayload, kMaxPayload, settings_.eager_limit}; }
  [[nodiscard]] std::uint64_t in_flight(Address to) override;
  [[nodiscard]] std::uint64_t held_by(Address peer) override;
  void publish_held(Address peer, std::uint64_t bytes) override;
  [[nodiscard]] SingleCopy* single_copy() noexcept override { return copies_ ? &*copies_ : nullptr; }
  [[nodiscard]] WakeSource* wake_source() noexcept override { return &wake_source_; }
  [[nodiscard]] bool is_dead(Address peer) const override;
  void peer_failed(Address peer, Sink& sink) override;
  [[nodiscard]] Status take_failure() override { return std::move(failure_); }
  [[nodiscard]] std::string warning() const override;

  /// Frames that were dropped because their sender did not know this rank's token.
  [[nodiscard]] std::uint64_t strangers() const noexcept { return arrivals_.strangers(); }

 private:
  class Waker final : public WakeSource {
   public:
    explicit Waker(OfiTransport& transport) noexcept : transport_(transport) {}
    [[nodiscard]] int descriptor() const noexcept override { return transport_.events_.descriptor(); }
    bool arm() override;

   private:
    OfiTransport& transport_;
  };

  OfiTransport(std::unique_ptr<tcp::TcpTransport> tcp, std::unique_ptr<Fabric> fabric, const tcp::Roster& roster,
               Settings settings, WorldRank rank, PeerId first_peer, observe::PacketCounts counts,
               tcp::EventSet events);
  Status open();

  // Sink, of the TCP connections
  void on_packet(PeerId number, const Packet& packet) override;
  void on_lost(PeerId number, LostBy by, const Status& why) override;
  void on_trouble(const std::string& what) override { sink_->on_trouble(what); }

  // Copies::Host
  [[nodiscard]] Place place_of(Address peer) const override { return peers_.find(peer)->place; }
  [[nodiscard]] bool has_room(Address peer) const override;
  void tell_copied(Address peer, const CopyOffer& offer) override;
  void look() override { collect(); }

  // Outbox::Host
  void introduce(OfiPeer& peer) override;
  void note_end(OfiPeer& peer) override;
  void break_with(OfiPeer& peer) override;
  void take_goodbye_back(OfiPeer& peer) override;

  // Arrivals::Host
  void on_frame(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& sink) override;

  enum class Room : std::uint8_t { kThereIs, kFull, kOfNoUse };
  [[nodiscard]] Room room_to(OfiPeer& peer);
  void join(OfiPeer& peer, const Introduction& introduction);
  /// Takes what is complete from the provider.
  bool collect();
  /// Whether any is lost.
  bool look_for_broken(Sink& sink);
  void lose(OfiPeer& peer, LostBy by, std::string why, Sink& sink);
  /// It has ended.
  void forget(OfiPeer& peer);
  /// The descriptor is readable, and there is nothing to do.
  void note_false_alarm();

  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<tcp::TcpTransport> tcp_;
  const tcp::Roster& roster_;
  const Settings settings_;
  WorldRank rank_;
  observe::PacketCounts counts_;
  tcp::EventSet events_;
  OfiPeers peers_;
  std::optional<Copies> copies_;  ///< where the provider can
  Introduction introduction_;
  Outbox outbox_;
  Arrivals arrivals_;
  std::vector<Address> broken_;     ///< peers of whose end only the provider has told
  std::vector<Address> unjoined_;   ///< that have been told where this rank is, and have not answered
  bool is_waking_ = false;          ///< the provider's descriptor tells when there is something
  std::uint32_t false_alarms_ = 0;  ///< that it has given since the last completion
  std::int64_t look_pause_ns_ = 0;  ///< of a rank that sleeps
  std::uint32_t polls_ = 0;
  std::uint64_t nameless_errors_ = 0;  ///< that the provider has reported of no peer
  std::string nameless_error_;         ///< the last one
  std::uint32_t pause_ = 0;            ///< polls until the connections are looked at
  bool is_flushing_ = false;           ///< the last flush() was false
  Sink* sink_ = nullptr;               ///< of the poll that runs
  Status failure_;
  Waker wake_source_{*this};
};

}  // namespace starling::transport::ofi
