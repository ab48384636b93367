// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arrivals: what the provider has received on its way to the sink, in the order in which each peer has sent it.
// Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "transport/ofi/fabric.hpp"
#include "transport/ofi/ofi_peers.hpp"
#include "transport/transport.hpp"

namespace starling::transport::ofi {

class Arrivals {
 public:
  class Host {
   public:
    /// The next frame of the peer.
    virtual void on_frame(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& sink) = 0;

   protected:
    ~Host() = default;
  };

  /// token: which frames must have.
  Arrivals(Fabric& fabric, OfiPeers& peers, const std::uint32_t& token, Host& host) noexcept
      : fabric_(fabric), peers_(peers), token_(token), host_(host) {}

  /// Gives the provider a buffer, now or later.
  void receive_with(Buffer& buffer) {
    if (fabric_.receive(buffer) != Outcome::kDone) unposted_.push_back(&buffer);
  }
  /// Gives it those that it did not take.
  void try_again();
  /// Something has come.
  void add(Buffer& buffer) { arrived_.push_back(&buffer); }
  void deliver(Sink& sink);
  void deliver_from(Address peer, Sink& sink);

  [[nodiscard]] bool empty() const noexcept { return arrived_.empty(); }
  [[nodiscard]] bool is_short() const noexcept { return !unposted_.empty(); }
  /// Frames that were dropped because their sender did not know the token.
  [[nodiscard]] std::uint64_t strangers() const noexcept { return strangers_; }

 private:
  void deliver(Buffer& buffer, Sink& sink);

  Fabric& fabric_;
  OfiPeers& peers_;
  const std::uint32_t& token_;
  Host& host_;
  std::vector<Buffer*> unposted_;
  std::deque<Buffer*> arrived_;
  std::uint64_t strangers_ = 0;
};

}  // namespace starling::transport::ofi
