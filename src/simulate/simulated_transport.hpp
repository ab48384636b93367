// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SimulatedTransport: the transport of one rank over a SimulatedNetwork. Long payloads leave whole, as over TCP.
// Thread safety: as Transport.
#pragma once

#include <memory>
#include <vector>

#include "simulate/simulated_network.hpp"
#include "transport/surroundings.hpp"

namespace starling::simulate {

class SimulatedTransport final : public transport::Transport {
 public:
  /// network: outlives the transport, which is the only one of the rank.
  SimulatedTransport(SimulatedNetwork& network, const transport::Surroundings& surroundings);
  ~SimulatedTransport() override { network_.leave(rank_); }
  SimulatedTransport(const SimulatedTransport&) = delete;
  SimulatedTransport& operator=(const SimulatedTransport&) = delete;

  bool try_send(transport::Address to, const transport::PacketHeader& header, const void* payload,
                std::size_t bytes) override;
  bool try_send_words(transport::Address to, const transport::PacketHeader& header, const std::uint64_t (&words)[2],
                      const void* payload, std::size_t bytes) override;
  bool try_send_packed(transport::Address to, const transport::PacketHeader& header, const std::uint64_t (&words)[2],
                       datatype::PackCursor& cursor, std::size_t bytes) override;
  [[nodiscard]] std::size_t longest(transport::Address /*to*/) override { return kLongest; }
  std::optional<std::size_t> try_begin(transport::Address to, const transport::PacketHeader& header,
                                       const std::uint64_t (&words)[2], const void* payload,
                                       std::size_t bytes) override;
  bool poll(transport::Sink& sink) override;
  bool flush() override { return owed_.empty(); }

  [[nodiscard]] transport::Limits limits() const noexcept override { return {kMaxPayload, kMaxPayload, kEagerLimit}; }
  [[nodiscard]] std::uint64_t in_flight(transport::Address to) override {
    return network_.under_way(rank_, rank_of(to));
  }
  [[nodiscard]] std::uint64_t held_by(transport::Address peer) override { return credits_[peer.index()].held_there; }
  void publish_held(transport::Address peer, std::uint64_t bytes) override;
  [[nodiscard]] bool is_dead(transport::Address /*peer*/) const override { return false; }
  void peer_failed(transport::Address /*peer*/, transport::Sink& /*sink*/) override {}
  [[nodiscard]] Status take_failure() override { return {}; }

 private:
  // As those of transport/tcp.
  static constexpr std::size_t kMaxPayload = 256 * 1024;
  static constexpr std::size_t kLongest = std::size_t{1} << 30;
  static constexpr std::int64_t kEagerLimit = 128 * 1024;

  struct Credits {
    std::uint64_t held_there = 0;  ///< bytes of ours, as the peer last said
    std::uint64_t held_here = 0;   ///< bytes of the peer's
    bool owed = false;             ///< the peer has not been told held_here; it is in owed_
  };

  [[nodiscard]] static WorldRank rank_of(transport::Address address) noexcept { return WorldRank(address.value); }
  void post(transport::Address to, Frame frame);

  SimulatedNetwork& network_;
  const WorldRank rank_;
  observe::PacketCounts counts_;
  Inbox inbox_;
  std::vector<Credits> credits_;
  std::vector<transport::Address> owed_;
};

}  // namespace starling::simulate
