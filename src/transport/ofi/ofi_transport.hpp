// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OfiTransport: reaches ranks on other nodes over libfabric. Two ranks tell each other where they are by their TCP
// connection, which stays: by its end each learns that the other has ended or died. All packets go over the fabric. An
// address is a world rank.
// Thread safety: the world's lock; those of several ranks may be used at once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "observe/packet_counts.hpp"
#include "transport/ofi/copies.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/ofi/ofi_peers.hpp"
#include "transport/ofi/settings.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "transport/transport.hpp"

namespace starling::transport::ofi {

class OfiTransport final : public Transport, private Sink, private Copies::Host {
 public:
  static constexpr std::size_t kMaxPayload = kPacketBytes - sizeof(Frame);

  /// tcp: reaches the same ranks at the same addresses, reports them by the same numbers, and belongs to this transport
  /// alone. roster: of the job, outlives it. first_peer: the number of world rank 0; the others follow it.
  static Result<std::unique_ptr<OfiTransport>> create(std::unique_ptr<tcp::TcpTransport> tcp,
                                                      std::unique_ptr<Fabric> fabric, const tcp::Roster& roster,
                                                      const Settings& settings, WorldRank rank, PeerId first_peer,
                                                      observe::PacketCounts counts = {});
  ~OfiTransport() override = default;
  OfiTransport(const OfiTransport&) = delete;
  OfiTransport& operator=(const OfiTransport&) = delete;

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
  [[nodiscard]] std::uint64_t strangers() const noexcept { return strangers_; }

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
  void tell_copied(Address peer, std::uint64_t key) override;
  void look() override { collect(); }

  // Towards peers.
  enum class Room : std::uint8_t { kThereIs, kFull, kOfNoUse };
  [[nodiscard]] Room room_to(OfiPeer& peer);
  /// Whether it may be sent to a peer that is known not to have ended.
  void note_end(OfiPeer& peer);
  void introduce(OfiPeer& peer);
  void join(OfiPeer& peer, const Introduction& introduction);
  void complete(OfiPeer& peer, Frame& frame);
  /// Sends a frame without payload, or with a short one; false: it must be tried again.
  bool inject(OfiPeer& peer, Frame frame, const void* payload, std::size_t bytes);
  /// Of which the frame is written already.
  void send(OfiPeer& peer, Buffer& buffer);
  Outcome hand_over(OfiPeer& peer, Buffer& buffer);
  [[nodiscard]] Buffer* free_buffer();
  /// There is something to do for the peer at the next poll.
  void list(OfiPeer& peer);
  /// Does what is listed.
  void work();
  /// True: nothing is left to do.
  bool work_for(OfiPeer& peer);
  /// Asks peers that have not said for a while that they have seen what was sent to them.
  void ask_around(std::int64_t now_ns);
  void ask(OfiPeer& peer);
  /// The descriptor is readable, and there is nothing to do.
  void note_false_alarm();
  void break_with(OfiPeer& peer);
  void look_for_broken(Sink& sink);

  // From peers.
  bool collect();
  void deliver(Sink& sink);
  void deliver(Buffer& buffer, Sink& sink);
  void deliver(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& sink);
  void receive_with(Buffer& buffer);
  void drop_unsent(OfiPeer& peer);
  void lose(OfiPeer& peer, LostBy by, std::string why, Sink& sink);

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
  std::vector<Buffer*> free_;      ///< for sending
  std::vector<Buffer*> unposted_;  ///< for receiving, which the provider did not take
  std::deque<Buffer*> arrived_;    ///< with what has come and is not delivered
  std::vector<Address> listed_;    ///< peers for which there is something to do
  std::vector<Address> unseen_;    ///< peers that may not have seen all
  std::vector<Address> broken_;    ///< peers of whose end only the provider has told
  std::vector<Address> unjoined_;  ///< that have been told where this rank is, and have not answered
  std::uint64_t under_way_ = 0;    ///< buffers that the provider has to send
  std::uint64_t strangers_ = 0;
  bool is_waking_ = false;          ///< the provider's descriptor tells when there is something
  std::uint32_t false_alarms_ = 0;  ///< that it has given since the last completion
  std::int64_t look_pause_ns_ = 0;  ///< of a rank that sleeps
  std::uint32_t polls_ = 0;
  std::int64_t ask_at_ns_ = 0;     ///< when peers are asked next
  std::int64_t ask_pause_ns_ = 0;  ///< between two questions
  std::uint32_t pause_ = 0;        ///< polls until the connections are looked at
  bool is_refused_ = false;        ///< since the last poll the provider has taken something not
  bool is_flushing_ = false;       ///< the last flush() was false
  Sink* sink_ = nullptr;           ///< of the poll that runs
  Status failure_;
  Waker wake_source_{*this};
};

}  // namespace starling::transport::ofi
