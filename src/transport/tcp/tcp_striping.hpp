// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Striping: what a TcpTransport does where several links lead to a peer: it opens a lane over each, cuts long payloads
// in pieces that all links carry, puts together what comes so, and goes on without a link that ends.
// Thread safety: the world's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "observe/packet_counts.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/handshake.hpp"
#include "transport/tcp/introductions.hpp"
#include "transport/tcp/look_timer.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/settings.hpp"
#include "transport/tcp/tcp_peers.hpp"
#include "transport/transport.hpp"

namespace starling::transport::tcp {

class Striping final : public Introductions::LaneHost {
 public:
  class Host {
   public:
    /// After something was added to what the connection writes.
    virtual void note_outgoing(Address to, Connection& connection) = 0;

   protected:
    ~Host() = default;
  };

  /// All outlive it. staging: what is read goes there first.
  Striping(const Endpoint& endpoint, const Settings& settings, WorldRank own, EventSet& events, Handshake& handshake,
           TcpPeers& peers, OwedCredits& owed, observe::PacketCounts& counts, LookTimer& timer,
           std::span<std::byte> staging, Host& host) noexcept
      : endpoint_(endpoint),
        settings_(settings),
        own_(own),
        events_(events),
        handshake_(handshake),
        peers_(peers),
        owed_(owed),
        counts_(counts),
        timer_(timer),
        staging_(staging),
        host_(host) {}

  // Sending.
  /// Those of a peer to which there are several links, if a payload is so long that it takes all; else null. The first
  /// long payload asks for the others.
  [[nodiscard]] Stripes* for_payload(Address to, std::size_t bytes) {
    return settings_.stripe_from > 0 && bytes >= static_cast<std::size_t>(settings_.stripe_from) ? of_links(to)
                                                                                                 : nullptr;
  }
  /// frame: of a packet with a long payload, all of whose bytes hand() or hand_all() hands on next.
  void begin(TcpPeer& peer, Frame frame);
  /// Returns how many bytes the links have taken.
  std::size_t hand(TcpPeer& peer, const void* payload, std::size_t bytes);
  void hand_all(TcpPeer& peer, const void* payload, std::size_t bytes);
  /// There are pieces, or the rest of a payload, for which the links are tried at each poll.
  [[nodiscard]] bool tries() const noexcept { return !striping_.empty(); }
  [[nodiscard]] bool has_work() const noexcept { return tries() || !to_tell_.empty(); }
  /// Sends what waits, as far as it goes.
  void work();

  // Receiving.
  bool receive(Address from, Sink& sink);
  bool receive(Address from, std::uint8_t lane, Sink& sink);
  /// From all of whose payloads something is missing.
  bool receive_missing(Sink& sink);
  /// Something has come.
  void note_received(TcpPeer& peer);

  // The lanes.
  /// One of this rank has something to say.
  void on_event(Address address, std::uint8_t lane);
  [[nodiscard]] bool may_join_lane(WorldRank rank) const override {
    return peers_.state_of(Address(rank.value)) == TcpPeer::State::kJoined;
  }
  void join_lane(WorldRank rank, std::uint8_t lane, Descriptor socket) override;
  /// Gives those up that are silent; returns when it has to look again.
  [[nodiscard]] std::int64_t look(TcpPeer& peer, std::int64_t now_ns);
  /// There is no connection any more.
  void forget(TcpPeer& peer) noexcept;
  /// Which links were lost, sentences; empty: none.
  [[nodiscard]] std::string report() const;

 private:
  struct Loss {
    WorldRank peer;
    std::string way;
    int times = 0;
    std::string why;  ///< the last time
  };

  [[nodiscard]] Stripes& of(TcpPeer& peer);
  [[nodiscard]] Stripes* of_links(Address to);
  void find_lanes(TcpPeer& peer);
  void call_lanes(TcpPeer& peer);
  void lose(TcpPeer& peer, Lane& lane, const std::string& why);
  void note_striping(TcpPeer& peer);
  void note_handed(TcpPeer& peer, std::int64_t now_ns);
  void tell_taken();

  const Endpoint& endpoint_;
  const Settings& settings_;
  WorldRank own_;
  EventSet& events_;
  Handshake& handshake_;
  TcpPeers& peers_;
  OwedCredits& owed_;
  observe::PacketCounts& counts_;
  LookTimer& timer_;
  std::span<std::byte> staging_;
  Host& host_;
  PiecePool pieces_;
  std::optional<std::vector<InterfaceAddress>> own_addresses_;
  std::vector<Address> striping_;    ///< to which pieces wait, or a payload is handed on
  std::vector<Address> assembling_;  ///< of whose payloads pieces are missing
  std::vector<Address> to_tell_;     ///< that have not been told which packets were taken
  std::vector<Loss> losses_;
};

}  // namespace starling::transport::tcp
