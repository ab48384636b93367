// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TcpPeers: what a rank knows of those that it reaches over TCP, from the first time that there is something to know.
// Thread safety: the world's lock. Invariants: a peer stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/lazy_table.hpp"
#include "transport/address.hpp"
#include "transport/lost_by.hpp"
#include "transport/tcp/connection.hpp"
#include "transport/tcp/stripes.hpp"

namespace starling::transport::tcp {

struct TcpPeer {
  enum class State : std::uint8_t {
    kUnknown,  ///< not connected yet
    kJoined,
    kGone,  ///< it has ended as it should; what is sent to it is dropped
    kDead,
  };

  Address address;
  PeerId number;
  Address followed_by;  ///< whose packet came after the last of this peer; none: not known yet
  State state = State::kUnknown;
  bool owed = false;  ///< has not been told held_here; it waits for that
  std::uint64_t held_there = 0;
  std::uint64_t held_here = 0;
  bool has_lanes_asked = false;            ///< a long packet has asked for the links beside the connection's
  std::unique_ptr<Connection> connection;  ///< of a joined one
  std::unique_ptr<Stripes> stripes;        ///< of one to which there are several links; ends before the connection
  std::string death;                       ///< why it is dead, a sentence
  LostBy lost_by = LostBy::kEnd;           ///< of a dead one
};

/// Peers that have to be told what is kept of their messages.
class OwedCredits {
 public:
  void owe(TcpPeer& peer) {
    if (!std::exchange(peer.owed, true)) to_.push_back(peer.address);
  }
  /// The frame, which leaves now, tells it.
  void tell_with(Frame& frame, TcpPeer& peer) {
    frame.held = packed_held(peer.held_here);
    forget(peer);
  }
  void forget(TcpPeer& peer) {
    if (std::exchange(peer.owed, false)) std::erase(to_, peer.address);
  }
  [[nodiscard]] bool empty() const noexcept { return to_.empty(); }
  [[nodiscard]] std::vector<Address> to() const { return to_; }

 private:
  std::vector<Address> to_;
};

class TcpPeers {
 public:
  /// first: the number of the peer with address 0; the others follow it.
  TcpPeers(PeerId first, std::size_t size) : first_(first), peers_(size) {}

  /// Null where nothing is known.
  [[nodiscard]] const TcpPeer* find(Address address) const noexcept { return peers_.find(address.index()); }
  [[nodiscard]] TcpPeer& operator[](Address address) {
    TcpPeer* const known = peers_.find(address.index());
    return known != nullptr ? *known : make(address);
  }
  [[nodiscard]] TcpPeer::State state_of(Address address) const noexcept {
    const TcpPeer* const known = find(address);
    return known != nullptr ? known->state : TcpPeer::State::kUnknown;
  }
  /// Of which something is known. More may be added while one goes through them by index.
  [[nodiscard]] const std::vector<std::unique_ptr<TcpPeer>>& known() const noexcept { return peers_.made(); }

 private:
  TcpPeer& make(Address address) {
    TcpPeer& peer = peers_.make(address.index());
    peer.address = address;
    peer.number = PeerId(first_.value + address.value);
    return peer;
  }

  PeerId first_;
  LazyTable<TcpPeer> peers_;
};

}  // namespace starling::transport::tcp
