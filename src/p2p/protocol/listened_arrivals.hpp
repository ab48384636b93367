// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ListenedArrivals: stands between the transports and the sink of a rank's packets while somebody listens, and tells of
// each message whether it has met its receive or has to wait for it. Thread safety: the world's lock.
#pragma once

#include <string>

#include "p2p/protocol/control_traffic.hpp"
#include "p2p/protocol/peers.hpp"
#include "p2p/protocol/receiver.hpp"
#include "p2p/protocol/sender.hpp"
#include "progress/engine.hpp"
#include "transport/transport.hpp"

namespace starling::p2p {

class ListenedArrivals final : public progress::Poller, public transport::Sink {
 public:
  ListenedArrivals(transport::Sink& sink, Peers& peers, Sender& sender, Receiver& receiver,
                   ControlTraffic& controls) noexcept
      : Poller(Serves::kFarRanks),
        sink_(sink),
        peers_(peers),
        sender_(sender),
        receiver_(receiver),
        controls_(controls) {}

  /// What the poll of the rank does, but for who takes the packets. Written out there and here: in a function for both
  /// the compiler spends four instructions more on each poll.
  bool poll() override;

  void on_packet(PeerId peer, const transport::Packet& packet) override;
  [[nodiscard]] bool is_hungry() const noexcept override { return sink_.is_hungry(); }
  std::byte* destination(PeerId peer, const transport::PacketHeader& header, const std::uint64_t (&words)[2],
                         std::size_t bytes) override {
    return sink_.destination(peer, header, words, bytes);
  }
  void on_placed(PeerId peer, const transport::Packet& packet) override;
  void on_lost(PeerId peer, transport::LostBy by, const Status& why) override { sink_.on_lost(peer, by, why); }
  void on_trouble(const std::string& what) override { sink_.on_trouble(what); }

 private:
  transport::Sink& sink_;
  Peers& peers_;
  Sender& sender_;
  Receiver& receiver_;
  ControlTraffic& controls_;
};

}  // namespace starling::p2p
