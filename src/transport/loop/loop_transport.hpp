// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LoopTransport: reaches ranks on other nodes of the same process through a loop::Network, by the rules of a network:
// every payload is copied, nothing of a peer's memory is read, credits travel in packets, a sleeper is woken by a
// descriptor. An address is a world rank.
// Thread safety: the world's lock; those of several ranks may be used at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "transport/loop/network.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport::loop {

class LoopTransport final : public Transport {
 public:
  static std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank);
  static Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings);

  /// network: outlives the transport, which is the only one of the rank. peers: by address. counts: of its packets.
  LoopTransport(Network& network, WorldRank rank, std::vector<PeerId> peers, observe::PacketCounts counts);
  ~LoopTransport() override { network_.leave(rank_); }
  LoopTransport(const LoopTransport&) = delete;
  LoopTransport& operator=(const LoopTransport&) = delete;

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

  [[nodiscard]] Limits limits() const noexcept override {
    return {network_.settings().max_payload, network_.settings().max_inline, std::nullopt};
  }
  [[nodiscard]] std::uint64_t in_flight(Address to) override { return outbox(to).under_way(rank_); }
  [[nodiscard]] std::uint64_t held_by(Address peer) override { return credits_[peer.index()].held_there; }
  void publish_held(Address peer, std::uint64_t bytes) override;
  [[nodiscard]] WakeSource* wake_source() noexcept override { return &wake_source_; }
  [[nodiscard]] bool is_dead(Address peer) const override { return inbox_.is_broken(rank_of(peer)); }
  void peer_failed(Address peer, Sink& sink) override;
  [[nodiscard]] Status take_failure() override { return std::move(failure_); }

 private:
  class Waker final : public WakeSource {
   public:
    explicit Waker(LoopTransport& transport) noexcept : transport_(transport) {}
    [[nodiscard]] int descriptor() const noexcept override { return transport_.inbox_.descriptor(); }
    bool arm() override;

   private:
    LoopTransport& transport_;
  };

  struct Credits {
    std::uint64_t held_there = 0;  ///< bytes of ours, as the peer last said
    std::uint64_t held_here = 0;   ///< bytes of the peer's
    bool owed = false;             ///< the peer has not been told held_here; it is in owed_
  };

  /// A packet of which not all has left.
  struct Begun {
    Address to;
    Frame frame;
    std::size_t missing = 0;  ///< bytes of its payload
    bool is_refused = false;  ///< the last try took nothing
  };

  [[nodiscard]] static WorldRank rank_of(Address address) noexcept { return WorldRank(address.value); }
  [[nodiscard]] Mailbox& outbox(Address to) noexcept { return network_.mailbox(rank_of(to)); }
  /// Whether a packet can be sent, which counts.
  [[nodiscard]] bool has_room(Address to, std::size_t bytes);
  /// Null: there is none to that peer.
  [[nodiscard]] Begun* begun(Address to) noexcept;
  /// There is room for it.
  void post(Address to, Frame frame);
  void tell_credits();
  void deliver(Sink& sink);
  static void deliver_in_parts(PeerId peer, Packet packet, Sink& sink);
  void tell_losses(Sink& sink);
  [[nodiscard]] Status loss_of(Address peer) const;

  Network& network_;
  WorldRank rank_;
  Mailbox& inbox_;
  std::vector<PeerId> peers_;
  observe::PacketCounts counts_;
  std::vector<Credits> credits_;
  std::vector<Address> owed_;
  std::vector<Begun> begun_;
  std::int64_t sent_until_ns_ = 0;  ///< when all that was sent has arrived
  bool flushing_ = false;           ///< the last flush() was false
  Status failure_;
  std::vector<Arrival> arrivals_;   ///< of the poll that runs; kept for its memory
  std::vector<WorldRank> waiting_;  ///< the same
  Waker wake_source_{*this};
};

}  // namespace starling::transport::loop
